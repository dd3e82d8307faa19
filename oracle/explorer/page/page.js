// The explorer's page: asks the engines (worker.js) as one types, and shows what they write, a page of its own, in a
// frame. What is asked stands in the address behind #, so that a link carries it; nothing is sent anywhere.
"use strict";
(() => {
const PAUSE = 150;    // milliseconds without a key before the engines are asked
const PATIENCE = 500; // milliseconds that an answer nobody waits for any more may take before it is ended
const FIELDS = ["layout", "tensor", "with"];
const byId = id => document.getElementById(id);
const state = {worker: null, ready: false, asked: null, waiting: null, began: 0, answers: 0, last: null};
window.explorerState = state; // for tests

const say = text => { byId("status").textContent = text; };
// Compiled while it arrives, where the server names its type.
const compiled = WebAssembly.compileStreaming(fetch("explorer.wasm"))
  .catch(async () => WebAssembly.compile(await (await fetch("explorer.wasm")).arrayBuffer()));

const valueOf = id => byId(id).value.trim();
const current = () => ({layout: valueOf("layout"), tensor: valueOf("tensor"), second: valueOf("with")});

function start() {
  state.ready = false, state.asked = null;
  const worker = state.worker = new Worker("worker.js");
  worker.onmessage = ({data}) => {
    if (worker !== state.worker) return;
    if (data.ready) state.ready = true;
    else take(data);
    next();
  };
  worker.onerror = event => say(`the engines cannot be started: ${event.message}`);
  compiled.then(module => worker.postMessage(module), why => say(`the engines cannot be loaded: ${why.message}`));
}

function end() {
  state.worker.terminate();
  start();
}

function next() {
  byId("stop").hidden = !state.asked;
  if (!state.ready || state.asked) return;
  if (!state.waiting) return void (current().layout || say("type a layout, or choose an example"));
  state.asked = state.waiting, state.waiting = null, state.began = performance.now();
  byId("stop").hidden = false;
  say("…");
  state.worker.postMessage(state.asked);
}

// "proved well-formed, in-bounds; refuted injective".
function summary(verdicts) {
  const words = {};
  for (const [claim, word] of verdicts) (words[word] = words[word] || []).push(claim);
  return Object.entries(words).map(([word, claims]) => `${word} ${claims.join(", ")}`).join("; ");
}

function take(answer) {
  const {asked} = state;
  state.asked = null, state.answers++, state.last = {asked, ...answer};
  if (!current().layout) return; // it was taken away meanwhile
  say([...(answer.verdicts || []).map(summary), `${Math.round(answer.milliseconds)} ms`].join(" · "));
  byId("error").hidden = !answer.error;
  byId("error").textContent = answer.error;
  const frame = byId("answer");
  frame.classList.toggle("stale", !answer.page); // what was judged before stays in sight while one types
  if (answer.page) frame.srcdoc = answer.page, frame.hidden = false;
  if (answer.ended) end();
}

function ask() {
  const question = current();
  const given = FIELDS.map(name => [name, valueOf(name)]).filter(([, value]) => value);
  history.replaceState(null, "", "#" + new URLSearchParams(given));
  state.waiting = question.layout ? question : null;
  if (!question.layout) byId("answer").hidden = byId("error").hidden = true;
  if (state.asked && performance.now() - state.began > PATIENCE) end();
  next();
}

let timer = 0;
byId("ask").addEventListener("input", event => {
  if (!FIELDS.includes(event.target.id)) return;
  clearTimeout(timer);
  timer = setTimeout(ask, PAUSE);
});
byId("ask").addEventListener("submit", event => {
  event.preventDefault();
  ask();
});
byId("stop").addEventListener("click", () => {
  state.waiting = null;
  end();
  say("stopped");
  byId("stop").hidden = true;
});

function fromAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const name of FIELDS) byId(name).value = given.get(name) || "";
  ask();
}
window.addEventListener("hashchange", fromAddress);

const examples = [];
byId("example").addEventListener("change", event => {
  const chosen = examples[event.target.value];
  if (!chosen) return;
  for (const name of FIELDS) byId(name).value = chosen[name] || "";
  ask();
});
fetch("examples.json").then(answer => answer.json()).then(groups => {
  for (const {title, cases} of groups) {
    const group = document.createElement("optgroup");
    group.label = title;
    for (const one of cases) group.append(new Option(one.id, examples.push(one) - 1));
    byId("example").append(group);
  }
});

start();
fromAddress();
})();
