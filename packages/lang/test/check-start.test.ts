import t from 'tap'
import { reports } from './reports.js'

const F = `let f : !(int, int) -> !int = map(value[0] + value[1])
let g : !int -> !int = map(value + 1)
`
const body = (statements: string, signature = '!int -> !int', parameters = 'input, output') =>
  `${F}let whole : ${signature} = plumb(${parameters}) {\n${statements}\n}\n`

t.test('what can get no first message never fires, told once', async (t) => {
  const told = (name: string, text: string, expected: readonly string[]) => reports(t, name, text, expected)
  told('a barrier in a loop', body('let back : !int = channel\n(input * back) ; barrier ; f ; output\nf ; back'), [
    "5:18-25 never_fires branch 2 of this 'barrier'",
  ])
  told('with a first message', body('let back : !int = channel\n(input * back) ; barrier ; f ; output\nf ; back\ninput ; g ; back'), [
    "4:5-9 endless_loop 'back'",
  ])
  told('a branch is empty', body('(input * empty) ; barrier ; discard ; map(1) ; output'), ['4:19-26 never_fires'])
  told('a loop that nothing enters', body('input ; output\nlet back : !int = channel\nback ; g ; filter(value > 1) ; back'), [
    '5:5-9 never_fires',
  ])
  told('by keys', body('let c : !int = channel\n(input * c) ; barrier(by: (value, value)) ; f ; output'), ['5:15-42 never_fires'])
  told(
    'through a body',
    `${F}let p : (!int, !int) -> (!int, !int) = plumb(a, b, c, d) { a ; c\n b ; d }
let whole : !int -> !int = plumb(input, output) {
let back : !int = channel
spawn p(a=input, b=back, c=output, d=back)
}
`,
    ['6:5-9 never_fires'],
  )
  const dead = 'let p : !int -> !int = plumb(a, b) { a ; discard\nempty ; b }\n'
  told('a body that sends nothing', `${dead}${body('(input * p) ; barrier ; f ; output\ninput ; p')}`, ['6:15-22 never_fires'])
  told('a chain of one', `${dead}let q : !int -> !int = p ; map(value)\n${body('input ; (id * q) ; barrier ; f ; output')}`, [
    '7:20-27 never_fires',
  ])
  const late = 'let p : !int -> !int = plumb(a, b) { a ; (id * filter(value > 0)) ; barrier ; map(value[0]) ; b }\n'
  told('a body that sends something', `${late}${body('input ; (id * p) ; barrier ; f ; output')}`, [])
  told(
    'what waits for the end of its cycle',
    body('let c : !int = channel\ninput ; c\nc ; fold(state + value, from: 0, emit: "end") ; c\nc ; output'),
    ['6:5-46 never_fires'],
  )
  told('a batch of all too', body('let c : !int = channel\ninput ; c\nc ; batch() ; map(length(value)) ; c\nc ; output'), [
    '6:5-12 never_fires',
  ])
})

t.test('wires that lead nowhere, answers that nobody reads, cycles without an end', async (t) => {
  const told = (name: string, statements: string, expected: readonly string[], extra = '') =>
    reports(t, name, `${extra}let whole : !int -> !int = plumb(input, output) {\n${statements}\n}\n`, expected)
  const AGENT = 'let a : !int -> !int = agent { provider: "eliza", model: "doctor" }\n'
  told('nothing is wired', '', [
    "1:34-39 dead_wire nothing reads the input 'input'",
    "1:41-47 dead_wire nothing is wired to the output 'output'",
  ])
  told('a channel that nobody reads', 'let c : !int = channel\ninput ; output\ninput ; c', [
    "2:5-6 dead_wire nothing reads the channel 'c'",
  ])
  told('an agent for nothing', 'input ; output\ninput ; a', ["4:9-10 unread_output 'a'"], AGENT)
  const PARTS = `${AGENT}let p : !int -> !int = plumb(i, o) { i ; a ; o }
let b : int -> int = tool { process: p }
let l : ![int] -> ![int] = each(a)
`
  told('a body with an agent for nothing', 'input ; output\ninput ; p', ["7:9-10 unread_output 'p'"], PARTS)
  told('an each', 'input ; output\ninput ; map([value]) ; each(a)', ["7:24-31 unread_output 'each'"], PARTS)
  told('a chain', 'input ; output\ninput ; map([value]) ; l', ['7:24-25 unread_output'], PARTS)
  told('a fall-back', 'input ; output\ninput ; (p + id)', ["7:10-16 unread_output '+'"], PARTS)
  told('a list of calls', 'input ; output\ninput ; map(b)', ['7:9-15 unread_output'], PARTS)
  told('none of them for nothing', 'input ; map([value]) ; each(a) ; flatten ; output\ninput ; p ; discard', [], PARTS)
  told(
    'an agent whose telemetry is read',
    'input ; output\ninput ; b\nb@telemetry ; discard',
    [],
    AGENT.replace('let a : !int -> !int', 'let b : !int -> (!int, !json)'),
  )
  told('an agent whose answers are thrown away on purpose', 'input ; output\ninput ; a ; discard', [], AGENT)
  const G = 'let g : !int -> !int = map(value + 1)\n'
  told('a name twice', 'input ; g ; g ; output', ["3:9-10 endless_loop 'g'", "3:13-14 repeated_name 'g'"], G)
  told('a loop with a way out', 'input ; g\ng ; filter(value < 9) ; g\ng ; filter(value > 8) ; output', ['4:25-26 repeated_name'], G)
  told(
    'what fails ends',
    'input ; g\ng ; g\ng ; output',
    ['4:5-6 repeated_name'],
    G.replace('value + 1', 'if value > 9 then fail("end") else value'),
  )
})
