// What an editor asks about protocols and conversations: places are marked with ‸.

import t from 'tap'
import { compile } from '../src/compile.js'
import { completionsAt, definitionAt, edited, hoverAt, renameAt } from '../src/service/index.js'
import { filesOf } from './reports.js'

const SPEC = `(* Paid back once. *)
protocol Refund = { lookup: loop, verify: { refund: end, lookup: loop, end }, end }
protocol Talk = { more: send Ask . recv int . loop, end }
type Ask = { ask: int }
let look : string -> string = tool { mock: "x" }
let asker : (!int, Talk) -> !int = plumb(input, s, output) {
  input ; map({ ask: value }) ; s
  s_in ; output
}
let answerer : (~Talk) -> () = plumb(s) { s_in ; map(1) ; s }
let main : !int -> !int = plumb(input, output) {
  let c : Talk = channel
  spawn asker(input, s=c, output=output)
  spawn answerer(s=c)
}
`

const files = filesOf({})

/** The spec with a place in it, behind the part before the bar. */
const place = (marked: string) => {
  const [before = '', after = ''] = marked.split('|')
  const at = SPEC.indexOf(before + after)
  if (at < 0) throw new Error(`no '${marked}'`)
  return { compiled: compile({ path: 'main.plumb', text: SPEC, files }), offset: at + before.length }
}

t.test('hover', async (t) => {
  const rows: readonly (readonly [string, string, string?])[] = [
    [
      'protocol Ref|und',
      'protocol Refund = { lookup: loop, verify: { refund: end, lookup: loop, end }, end }\n' +
        '(* 0: lookup -> 0, verify -> 1, end *)\n(* 1: refund -> 2, lookup -> 0, end *)\n(* 2: end *)',
      'Paid back once.',
    ],
    [
      '(!int, Ta|lk)',
      'protocol Talk = { more: send Ask . recv int . loop, end }\n(* 0: more -> 1, end *)\n(* 1: send Ask -> 2 *)\n(* 2: recv int -> 0 *)',
    ],
    ['send As|k', 'type Ask = { ask: int }'],
    ['value }) ; s|', 's : Talk  (* end of asker *)'],
    ['plumb(s|) {', 's : ~Talk  (* end of answerer *)'],
    ['let c| :', 'let c : Talk = channel'],
    ['spawn ask|er', 'let asker : (!int, Talk) -> !int = plumb(input, s, output) { … }'],
  ]
  for (const [marked, code, remark] of rows) {
    const { compiled, offset } = place(marked)
    const hover = hoverAt(compiled, offset)
    t.equal(hover?.code, code, marked)
    t.equal(hover?.remark, remark, marked)
  }
})

t.test('definition and rename', async (t) => {
  const rows: readonly (readonly [string, string, number])[] = [
    ['(~Ta|lk)', 'Dialogue', 4],
    ['protocol Refund| =', 'Pay', 1],
    ['value }) ; s|', 'talk', 4],
    ['let c| :', 'talk', 3],
  ]
  for (const [marked, name, count] of rows) {
    const { compiled, offset } = place(marked)
    t.ok(definitionAt(compiled, offset), marked)
    const renamed = renameAt(compiled, [], files, offset, name)
    t.equal(renamed.ok ? renamed.value.length : renamed.error.detail, count, marked)
    const text = renamed.ok ? edited(SPEC, renamed.value) : ''
    t.strictSame(
      compile({ path: 'main.plumb', text, files })
        .diagnostics.map(({ message }) => message)
        .filter((m) => !m.includes('never')),
      [],
      marked,
    )
  }
  const { compiled, offset } = place('protocol Ref|und')
  t.match(renameAt(compiled, [], files, offset, 'end'), { ok: false })
  t.match(renameAt(compiled, [], files, offset, 'Talk'), { ok: false })
})

t.test('completion', async (t) => {
  const rows: readonly (readonly [string, string, string])[] = [
    ['protocol P = ‸', 'send recv call loop end Refund Talk', 'look string'],
    ['protocol P = call look . ‸', 'send end Refund', 'look'],
    ['protocol P = call ‸', 'look', 'send Refund'],
    ['protocol P = { other: loop, ‸', 'look other end loop', 'send'],
    ['protocol P = send ‸', 'Ask string', 'Refund end'],
    ['let f : (!int, ‸', 'Ask Talk', 'send'],
  ]
  for (const [marked, wanted, unwanted] of rows) {
    const text = `${SPEC}${marked.replace('‸', '')}`
    const { items } = completionsAt({ path: 'main.plumb', text }, files, text.length)
    const labels = items.map(({ label }) => label)
    t.strictSame(
      [wanted.split(' ').filter((w) => !labels.includes(w)), unwanted.split(' ').filter((w) => labels.includes(w))],
      [[], []],
      marked,
    )
  }
})
