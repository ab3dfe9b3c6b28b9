// The words of the language and of its pages that mean something of their own, as plumb(7) has them too.

export const GLOSSARY: Readonly<Record<string, string>> = {
  agent: 'A process that answers each message by a model; also a program in its place.',
  amnesiac: 'Of an agent: each input starts a new conversation.',
  bare: 'Of a type or a binding, without `!`: a function from one message to one result.',
  barrier: 'Joins what came of the same input into one tuple: `(a * b) ; barrier` waits for both.',
  binding: 'What a `let` of a spec names: a process, a function, a tool or a value.',
  body: 'What stands between the braces of `plumb(...) { ... }`: processes and how they are wired.',
  concession: 'What an agent does without because its server does not take it, as a schema.',
  docroot: 'The directory below which tools may use files.',
  effect: 'What a tool may do beside its result, such as `fs.read`, `net` or `exec`.',
  envelope: 'A line `{"__port":NAME,"msg":VALUE}`, by which one stream carries several ports.',
  grant: 'The effects that the person who starts a run allows its tools.',
  lowerable: 'Of a process: it gives one result for each input, so that a tool can be made of it.',
  origin: 'The input of the whole run that a message comes from; a barrier joins by it.',
  owned: 'Of a part: it remembers something, so that one worker does all of it.',
  parked: 'Of a run: it has ended, and calls in it wait until a person decides.',
  part: 'Of a spec that workers run: what is done as a whole, a process with the expressions after it.',
  port: 'A named stream into a process or out of it, such as `input`, `error` or `ctrl_in`.',
  record: 'The directory in which `--record` keeps a run; also a JSON object with named fields.',
  settled: 'Of an input: it was answered, dropped by a filter, or failed.',
  spec: 'A `.plumb` file: types, bindings, and usually a `main`.',
  stage: 'One process of a body; `plumb stage NAME` runs it alone.',
  stream: 'Of a type, `!T`: any number of messages of type T.',
  wire: 'The connection from an output to an input; what goes over it is checked.',
}

export const isWord = (text: string): boolean => Object.hasOwn(GLOSSARY, text)
