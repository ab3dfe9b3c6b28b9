// Types that hold themselves, or each other.

import type { Rows } from './row.js'

const RUN_NEXT = 'map({ arguments: [text(value.next ?? { u: "" })] }) ; map(run)'

export const TYPES: Rows = {
  'types that hold themselves': [
    [
      'a field of one variant is another type in the other',
      'untrusted',
      `type U = { u: string }
type T = { k: "a", a: untrusted string, next?: T } | { k: "b", next?: U }
let main : !T -> !string = filter(has(value.next)) ; ${RUN_NEXT}`,
    ],
    [
      'a field of one variant, put into another',
      'untrusted',
      `type T = { k: "note", s: untrusted string } | { k: "run", s: string }
let act : T -> string = tool { function: "./act.js#act" }
let main : !T -> !string = map({ k: "run", s: value.s }) ; map(act)`,
    ],
    [
      'a variant, passed on whole',
      '',
      `type T = { k: "note", s: untrusted string } | { k: "run", s: string }
let act : T -> string = tool { function: "./act.js#act" }
let main : !T -> !string = map(act)`,
    ],
    [
      'the same, without a label',
      '',
      `type U = { u: string }
type T = { k: "a", a: string, next?: T } | { k: "b", next?: U }
let main : !T -> !string = filter(has(value.next)) ; ${RUN_NEXT}`,
    ],
    [
      'two types that hold each other, in sums',
      'untrusted',
      `type A = { k: "a", x?: untrusted A, y?: B } | { k: "b", x?: B }
type B = { k: "a", x?: untrusted B, y?: A } | { k: "b", x?: A }
let main : !A -> !string = map({ arguments: [text(value)] }) ; map(run)`,
    ],
    [
      'two types that hold each other, passed on whole',
      '',
      `type A = { k: "a", x?: untrusted A, y?: B } | { k: "b", x?: B }
type B = { k: "a", x?: untrusted B, y?: A } | { k: "b", x?: A }
let main : !A -> !untrusted json = map(value)`,
    ],
    [
      'a label three names away',
      'untrusted',
      `type A = { b?: B, n: int }
type B = { cs: [C] }
type C = { m: { [string]: D } }
type D = { a?: A, s: untrusted string }
let main : !A -> !string = map({ arguments: [text(value.b ?? { cs: [] })] }) ; map(run)`,
    ],
    [
      'the parts beside the label stay as they are',
      '',
      `type A = { b?: B, s: string }
type B = { cs: [C] }
type C = { a?: A, u: untrusted string, t: string }
let main : !A -> !string = map({ arguments: [s, text([c.t for c in (value.b ?? { cs: [] }).cs])] }) ; map(run)`,
    ],
    [
      'a comment with replies, given to an agent with a shell',
      'untrusted',
      `type Comment = { by: string, text: untrusted string, replies: [Comment] } | { deleted: bool, replies: [Comment] }
let reader : !Comment -> !string = agent { provider: "anthropic", model: "m", tools: [run] }
let main : !Comment -> !string = map(value.replies) ; flatten ; reader`,
    ],
    [
      'a map that holds itself',
      'untrusted',
      `type T = { [string]: T } | untrusted string
let main : !T -> !string = map({ arguments: [text(value)] }) ; map(run)`,
    ],
    [
      'a field that may be that of a map',
      'untrusted',
      `type T = { items: [{ [string]: untrusted string }] | { s: string } }
let main : !T -> !string = map({ arguments: [text(value.items)] }) ; map(run)`,
    ],
    [
      'lists and tuples of themselves',
      'untrusted',
      `type T = [T] | { s: untrusted string }
type P = { t: T, p?: P, l: [P] }
let main : !P -> !string = map({ arguments: [text(first(value.l).t)] }) ; map(run)`,
    ],
    [
      'a tool that takes a recursive type with one untrusted part',
      'untrusted',
      `type T = { s: untrusted string, next?: T }
type N = { s: untrusted string, at: string, next?: N }
let act : N -> untrusted unit = tool { mcp: srv, name: "act" }
let main : !T -> !untrusted unit = map({ s: s, at: (value.next ?? { s: "" }).s, next: { s: s, at: "b" } }) ; map(act)`,
    ],
    [
      'the same with our own in its place',
      '',
      `type T = { s: untrusted string, next?: T }
type N = { s: untrusted string, at: string, next?: N }
let act : N -> untrusted unit = tool { mcp: srv, name: "act" }
let main : !T -> !untrusted unit = map({ s: s, at: "a", next: { s: s, at: "b", next: { s: s, at: "c" } } }) ; map(act)`,
    ],
    [
      'a record within itself, made round after round',
      'untrusted',
      `type T = { s: string, in?: T }
let around : T -> T = map({ s: "x", in: value })
let again : T -> T = trace(around, max: 5)
let main : !untrusted string -> !string = map({ s: value }) ; map(again) ; map({ arguments: [text(value.in ?? { s: "" })] }) ; map(run)`,
    ],
    [
      'a secret below itself',
      'secret',
      `type T = { a: secret string, next?: T } | { b: string, next?: [T] }
let main : !T -> !string = map(text(value))`,
    ],
    [
      'a tool that runs the process in which it is called, with more around it each time',
      'untrusted',
      `type T = { s: string, in?: T }
let deeper : T -> T = tool { process: deep }
let deep : !T -> !T = plumb(from, to) {
  from ; filter(length(text(value)) < 99) ; map({ s: "x", in: value }) ; map(deeper) ; to
  from ; filter(length(text(value)) >= 99) ; to
}
let main : !untrusted T -> !string = map(deeper) ; map({ arguments: [text(value)] }) ; map(run)`,
    ],
    [
      'a json around itself, made round after round',
      'untrusted',
      `let around : json -> json = map({ a: [value], b: 1 })
let again : json -> json = trace(around, max: 50)
let main : !untrusted string -> !string = map({ c: value }) ; map(again) ; map({ arguments: [text(value)] }) ; map(run)`,
    ],
    [
      'a record with a json around it, made round after round',
      'untrusted',
      `type T = { j: json, l: [T] }
let around : T -> T = map({ j: { of: value.j, l: [value.j] }, l: [value] })
let again : T -> T = trace(around, max: 50)
let main : !untrusted string -> !string = map({ j: { c: value }, l: [] }) ; map(again) ; map({ arguments: [text(value)] }) ; map(run)`,
    ],
  ],
}
