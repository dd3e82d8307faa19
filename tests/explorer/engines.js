// The explorer's engines for compare.py: questions in, one answer each. A question is {name, document, seconds}, a case
// file, or {layout, tensor, second}, what the page asks. Under node: engines.js EXPLORER, one JSON object a line on
// stdin and stdout. In a worker of a browser: questions and answers go to the server. A broken instance is replaced, as
// the page does.
"use strict";

function answerer(load) {
  let engines = null;
  const passed = text => {
    const size = engines.lengthBytesUTF8(text) + 1, at = engines._malloc(size);
    engines.stringToUTF8(text, at, size);
    return at;
  };
  return async question => {
    engines = engines || await load();
    const began = performance.now(), cases = question.document !== undefined;
    try {
      const {layout, tensor, second} = question;
      const given = (cases ? [question.name, question.document] : [layout, tensor, second]).map(passed);
      const at = cases ? engines._vl_check_cases(...given, question.seconds) : engines._vl_explore(...given);
      const text = engines.UTF8ToString(at);
      for (const taken of [...given, at]) engines._free(taken);
      return {text, milliseconds: performance.now() - began, memory: engines._vl_memory()};
    } catch (failure) {
      engines = null;
      return {failure: String(failure && failure.stack || failure)};
    }
  };
}

async function under_node() {
  const path = require("path"), folder = path.resolve(process.argv[2]);
  const load = require(path.join(folder, "explorer.js"));
  const wasmBinary = require("fs").readFileSync(path.join(folder, "explorer.wasm"));
  const answer = answerer(() => load({wasmBinary}));
  for await (const line of require("readline").createInterface({input: process.stdin}))
    process.stdout.write(JSON.stringify(await answer(JSON.parse(line))) + "\n");
}

async function in_worker() {
  importScripts("explorer.js");
  const answer = answerer(() => verifyLayout());
  for (;;) {
    const question = await (await fetch("next")).json();
    await fetch("answer", {method: "POST", body: JSON.stringify(await answer(question))});
  }
}

if (typeof importScripts === "function") in_worker();
else under_node();
