// The engines in a thread of their own: the page ends it where an answer takes too long. The first message is the
// compiled module, each further one a question; each is answered by one message.
"use strict";
importScripts("explorer.js");

let engines;

const start = module => verifyLayout({
  instantiateWasm(imports, done) {
    WebAssembly.instantiate(module, imports).then(instance => done(instance, module));
    return {};
  },
});

const passed = text => {
  const size = engines.lengthBytesUTF8(text) + 1, at = engines._malloc(size);
  engines.stringToUTF8(text, at, size);
  return at;
};

const explore = ({layout, tensor, second}) => {
  const given = [layout, tensor, second].map(passed);
  const answer = engines._vl_explore(...given);
  given.forEach(at => engines._free(at));
  const text = engines.UTF8ToString(answer);
  engines._free(answer);
  return JSON.parse(text);
};

onmessage = async ({data}) => {
  if (data instanceof WebAssembly.Module) {
    engines = await start(data);
    return postMessage({ready: true});
  }
  const began = performance.now();
  let answer;
  try {
    answer = explore(data);
  } catch (failure) { // the stack or the memory of WebAssembly was not enough: nothing in it can be used any more
    answer = {error: `the engines ended: ${failure.message || failure}`, page: "", ended: true};
  }
  postMessage({...answer, milliseconds: performance.now() - began});
};
