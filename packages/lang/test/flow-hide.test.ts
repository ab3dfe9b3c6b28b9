// What is secret in a message is not shown, and all else is shown as it stands.

import fc from 'fast-check'
import t from 'tap'
import { hiderOf } from '../src/flow/hide.js'
import { begin } from '../src/flow/label.js'
import { listShape, PLAIN, recordShape, type Shape, tupleOf } from '../src/flow/shape.js'

const span = { source: { path: 'a.plumb', text: '' }, start: 0, end: 0 } as never
const SECRET: Shape = { tags: { secret: begin({ text: 'from here', span }) } }

t.test('the secret parts of a text', async (t) => {
  const table: [string, Shape, string, string][] = [
    ['the whole', SECRET, '{"a": [1, "x"]}', '"***"'],
    [
      'a field',
      recordShape(new Map([['pin', SECRET]])),
      '{"a": 1e400, "pin" : "12\\"34", "b": "}"}',
      '{"a": 1e400, "pin" : "***", "b": "}"}',
    ],
    ['a field by its escaped name', recordShape(new Map([['pin', SECRET]])), '{"\\u0070in":[[{}]]}', '{"\\u0070in":"***"}'],
    ['all items', listShape(SECRET), '[1,\t{"a":2} ,[]]', '["***",\t"***" ,"***"]'],
    ['no item', listShape(SECRET), '[ ]', '[ ]'],
    ['values of a map', listShape(SECRET), '{"a":-1,"b":null}', '{"a":"***","b":"***"}'],
    ['one of a tuple', tupleOf([PLAIN, SECRET]), '["a","b"]', '["a","***"]'],
    [
      'within',
      recordShape(new Map([['l', listShape(recordShape(new Map([['pin', SECRET]])))]])),
      '{"l":[{"pin":1},{"p":2}]}',
      '{"l":[{"pin":"***"},{"p":2}]}',
    ],
  ]
  for (const [name, shape, json, shown] of table) t.equal(hiderOf(shape)?.(json), shown, name)
  t.equal(hiderOf(listShape(PLAIN)), undefined, 'nothing to hide')
})

t.test('any text, with white space, any value hidden', async (t) => {
  const seed = Number(process.env.PLUMB_SEED ?? 7)
  const json = fc
    .tuple(fc.json({ maxDepth: 3 }), fc.constantFrom(0, 1, '\t'))
    .map(([text, space]) => JSON.stringify(JSON.parse(text), null, space))
  fc.assert(
    fc.property(json, json, (a, b) => {
      const hidden = hiderOf(recordShape(new Map([['b', SECRET]])))?.(`{"a":${a},"b":${b},"c":[${a}]}`)
      t.equal(hidden, `{"a":${a},"b":"***","c":[${a}]}`)
    }),
    { numRuns: 100, seed },
  )
})
