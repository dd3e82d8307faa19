"""Places in a C++ source where one operator or constant can be changed, and the source with a switch at each of them.

A token is a place by its text and its neighbours. The sources are formatted, so a `<` between spaces is an operator,
and all other angles are brackets. What is misread here does not compile, and tests/mutants.py then draws another.
"""
import collections
import re

# What may become what. Operators of one row of the grammar stay in it where they can, so the tree stays as it is.
BINARY = {"<": ["<=", ">"], "<=": ["<", ">="], ">": [">=", "<"], ">=": [">", "<="], "==": ["!="], "!=": ["=="],
          "+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "%": ["/"], "<<": [">>"], ">>": ["<<"],
          "&": ["|"], "|": ["&"], "^": ["|"]}
ASSIGN = {"+=": ["-="], "-=": ["+="], "*=": ["+="], "/=": ["*="], "%=": ["/="], "|=": ["&="], "&=": ["|="]}
LOGICAL = {"&&": ["||"], "||": ["&&"]}
STEP = {"++": ["--"], "--": ["++"]}
WORDS = {"<": "Less", "<=": "LessEqual", ">": "Greater", ">=": "GreaterEqual", "==": "Equal", "!=": "Unequal",
         "+": "Plus", "-": "Minus", "*": "Times", "/": "Over", "%": "Mod", "<<": "Left", ">>": "Right", "&": "And",
         "|": "Or", "^": "Xor", "+=": "Add", "-=": "Subtract", "*=": "Multiply", "/=": "Divide", "%=": "Reduce",
         "|=": "Join", "&=": "Meet", "++": "Up", "--": "Down"}

BINARY_SWITCH = """
template <int n> struct {name} {{}};
template <int n, class T> struct {name}Of {{ T&& value; }};
template <int n, class T> inline {name}Of<n, T> operator{op}(T&& a, {name}<n>) {{ return {{std::forward<T>(a)}}; }}
template <int n, class T, class U> inline auto operator{op}({name}Of<n, T> a, U&& b) {{
  using R = std::decay_t<decltype(std::forward<T>(a.value) {op} std::forward<U>(b))>;
  return on<n>() ? static_cast<R>(std::forward<T>(a.value) {to} std::forward<U>(b))
                 : static_cast<R>(std::forward<T>(a.value) {op} std::forward<U>(b));
}}
"""
ASSIGN_SWITCH = """
template <int n> struct {name} {{}};
template <int n, class U> struct {name}Of {{ U&& value; }};
template <int n, class U> inline {name}Of<n, U> operator{op}({name}<n>, U&& b) {{ return {{std::forward<U>(b)}}; }}
template <int n, class T, class U> inline T&& operator{op}(T&& a, {name}Of<n, U> b) {{
  if (on<n>()) a {to} std::forward<U>(b.value);
  else a {op} std::forward<U>(b.value);
  return std::forward<T>(a);
}}
"""
STEP_SWITCH = """
template <int n> struct {name} {{}};
template <int n, class T> inline T& operator->*({name}<n>, T& value) {{ return on<n>() ? {to}value : {op}value; }}
"""

TOKEN = re.compile(r"""
    (?P<skip>//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*|[ \t\n]+)
  | (?P<text>(?:u8|u|U|L)?R"(?P<d>[^(\s]*)\(.*?\)(?P=d)"|(?:u8|u|U|L)?"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')
  | (?P<name>[A-Za-z_]\w*)
  | (?P<number>\.?\d(?:[eEpP][+-]|'\w|[\w.])*)
  | (?P<op><<=|>>=|<=>|->\*|\.\.\.|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
""", re.X | re.M | re.S)
Token = collections.namedtuple("Token", "kind text line column spaced")  # spaced: white space on both sides


def tokens_of(text):
    found, line, space = [], 1, True
    for match in TOKEN.finditer(text):
        kind = match.lastgroup if match.lastgroup != "d" else "text"
        if kind == "skip":
            space = True
        else:
            after = text[match.end():match.end() + 1]
            column = match.start() - text.rfind("\n", 0, match.start())
            found.append(Token(kind, match.group(), line, column, space and after.isspace()))
            space = False
        line += match.group().count("\n")
    return found


def left_out(tokens):
    """The indices that are no places: conditions of VL_CHECK and static_assert, labels of cases, enumerators."""
    out = set()
    for i, token in enumerate(tokens):
        end = i
        if token.text in ("VL_CHECK", "static_assert", "enum", "requires", "alignas"):
            opener = "{" if token.text == "enum" else "("
            while end < len(tokens) and tokens[end].text not in (opener, ";"):
                end += 1
            depth = 0
            while end < len(tokens):
                depth += (tokens[end].text in "([{") - (tokens[end].text in ")]}")
                if depth <= 0:
                    break
                end += 1
        elif token.text == "case":
            while tokens[end].text != ":":
                end += 1
        elif token.text == "operator":
            end = i + 1
        elif token.text == "constexpr" and tokens[i - 1].text != "if":
            end = i
            while tokens[end].text not in ("=", "(", "{", ";"):
                end += 1
            if tokens[end].text in ("=", "{"):  # a variable, not a function
                while tokens[end].text != ";":
                    end += 1
        out.update(range(i, end + 1) if end > i else ())
    return out


STARTS = {"(", "[", "{", ",", "return", "?", ":", "=", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "+", "*"}


def changes_at(tokens, i):
    """How token i may be changed: (kind, [what it becomes])."""
    token = tokens[i]
    text = token.text
    if token.kind == "number" and re.fullmatch(r"(0[xX][\da-fA-F']+|0[bB][01']+|[\d']+)[uUlL]*", text):
        return "constant", [f"{text} + 1"]
    if text in ("true", "false"):
        return "constant", ["false" if text == "true" else "true"]
    if token.kind != "op":
        return None
    before = tokens[i - 1] if i else token
    starts = before.text in STARTS
    if token.spaced and text in BINARY:
        return "binary", BINARY[text]
    if token.spaced and text in ASSIGN:
        return "assign", ASSIGN[text]
    if token.spaced and text in LOGICAL:
        return "logical", LOGICAL[text]
    if text == "!":
        return "not", [""]
    if text == "-" and not token.spaced and starts:
        return "negate", [""]
    if text in STEP and i + 1 < len(tokens) and tokens[i + 1].text not in (")", ";", "]", ","):
        return "step", STEP[text]
    return None


def weight(token):
    """1 for an opening bracket, -1 for a closing one. An angle is a bracket where it is not between spaces."""
    if token.text in ("(", "[", "{"):
        return 1
    if token.text in (")", "]", "}"):
        return -1
    if not token.spaced and token.text in ("<", ">", "<<", ">>"):
        return len(token.text) * (1 if token.text[0] == "<" else -1)
    return 0


ENDS = {",", ";", "?", ":", "=", "return", "+=", "|=", "&=", "else"}


def extent(tokens, i):
    """First and one past last token of the logical expression that contains token i."""
    def edge(step):
        depth, j = 0, i + step
        while 0 <= j < len(tokens):
            depth += weight(tokens[j]) * step
            if depth < 0 or depth == 0 and tokens[j].text in ENDS:
                break
            j += step
        return j
    return edge(-1) + 1, edge(1)


def places_of(file, text):
    tokens, lines = tokens_of(text), text.split("\n")
    out = left_out(tokens)
    found = []
    for i in range(len(tokens)):
        kind, choices = (None if i in out else changes_at(tokens, i)) or (None, None)
        if kind:
            found.append({"file": file, "token": i, "line": tokens[i].line, "column": tokens[i].column,
                          "text": lines[tokens[i].line - 1].strip(), "kind": kind, "from": tokens[i].text,
                          "choices": choices})
    return found


def name_of(place):
    return f"{WORDS[place['from']]}To{WORDS[place['to']]}"


def switched(text, places):
    """The source with a switch at each place. Lines keep their numbers, so messages of the compiler name the place."""
    tokens = tokens_of(text)
    new = [token.text for token in tokens]
    whole = collections.defaultdict(list)  # logical expressions, each written twice
    for place in places:
        i, n, kind = place["token"], place["number"], place["kind"]
        op = tokens[i].text
        place["lines"] = [tokens[i].line, tokens[i].line]
        if kind == "binary":
            new[i] = f"{op} ::vl_mutants::{name_of(place)}<{n}>() {op}"
        elif kind == "assign":
            new[i] = f"{op} ::vl_mutants::{name_of(place)}<{n}>() {op}"
        elif kind == "step":
            new[i] = f"::vl_mutants::{name_of(place)}<{n}>()->*"
        elif kind in ("not", "negate"):
            new[i] = f"::vl_mutants::{kind.capitalize()}<{n}>()->*"
        elif kind == "constant":
            new[i] = f"::vl_mutants::constant<{n}>({op})"
        else:
            whole[extent(tokens, i)].append(place)
    for (first, end), group in sorted(whole.items(), key=lambda item: item[0][1] - item[0][0]):
        plain = " ".join(new[first:end])
        text_of = plain
        for place in group:
            i = place["token"]
            place["lines"] = [tokens[first].line, tokens[end - 1].line]
            changed = " ".join(new[first:i] + [place["to"]] + new[i + 1:end])
            text_of = f"::vl_mutants::on<{place['number']}>() ? ({changed}) : {text_of}"
        new[first:end] = [f"({text_of})"] + [""] * (end - first - 1)
    return join(text, tokens, new)


def join(text, tokens, new):
    """The text with its tokens replaced; everything else, such as comments and lines of the preprocessor, as it was."""
    parts, i = [], 0
    for match in TOKEN.finditer(text):
        if match.lastgroup == "skip":
            parts.append(match.group())
        else:
            parts.append(new[i])
            i += 1
    return "".join(parts)


def operator_switches():
    """One template for each change of an operator."""
    return "".join(template.format(name=f"{WORDS[op]}To{WORDS[to]}", op=op, to=to)
                   for table, template in ((BINARY, BINARY_SWITCH), (ASSIGN, ASSIGN_SWITCH), (STEP, STEP_SWITCH))
                   for op, choices in table.items() for to in choices)
