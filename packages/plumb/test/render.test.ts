// What pictures show.

import t from 'tap'
import { toDot } from '../../runtime/src/draw/dot.js'
import { expandPlumbs } from '../../runtime/src/draw/expand-plumbs.js'
import { wireKey, withFigures } from '../../runtime/src/draw/figures.js'
import { toJson } from '../../runtime/src/draw/json.js'
import { toMermaid } from '../../runtime/src/draw/mermaid.js'
import { type Picture, pictureOf } from '../../runtime/src/draw/picture.js'
import { lackingInPng, toPng, toSvg } from '../../runtime/src/draw/svg.js'
import { graphOf } from './bare-wiring.js'

/** `from -label-> to` with the ports that are shown: the wires of a picture as one can read them. */
const drawn = ({ wires }: Picture): string[] =>
  wires.map(({ from, output, to, input, label, role }) => {
    const tail = output === undefined ? '' : `.${from.outputs[output]}`
    const head = input === undefined ? '' : `.${to.inputs[input]}`
    return `${from.id}${tail} ${role === 'data' ? '' : `${role} `}-${label}-> ${to.id}${head}`
  })

const body = (statements: string, output = '!int', input = '!int') =>
  `let main : ${input} -> ${output} = plumb(input, output) {\n${statements}\n}`

const AGENTS = `
type Order = { pause?: bool }
let find : string -> string = tool { command: "find.sh" }
let bot : (!string, !Order) -> (!string, !json) = agent { provider: "eliza", model: "doctor", tools: [find], mcp: [{ url: "https://web.test/mcp", prefix: "web", token: "secret" }] }
let calm : !json -> !Order = map({ pause: true })
let watch : (!json, !json) -> !Order = plumb(replies, events, orders) {
  events ; calm ; orders
  replies ; discard
}`

t.test('wires', async (t) => {
  const cases: [what: string, program: string, wires: string[]][] = [
    [
      'a chain of names',
      `let inc : !int -> !int = map(value + 1)\n${body('input ; inc ; output')}`,
      ['input -int-> inc', 'inc -int-> output'],
    ],
    ['main that is a chain', 'let main : !int -> !int = id ; map(value)', ['input -int-> id', 'id -int-> map', 'map -int-> output']],
    [
      'the ends of a bound chain are left out, however deep it lies',
      `let inc : !int -> !int = map(value + 1)\nlet two : !int -> !int = inc ; inc\nlet four : !int -> !int = two ; two\n${body('input ; four ; output')}`,
      ['input -int-> inc', 'inc -int-> inc 2', 'inc 2 -int-> inc 3', 'inc 3 -int-> inc 4', 'inc 4 -int-> output'],
    ],
    [
      'a chain that joins several with several keeps its end',
      `let both : !int -> !int = map(value) * map(value + 1)\n${body('input ; (map(1) * map(2)) ; both ; output')}`,
      [
        'input -int-> map',
        'input -int-> map 2',
        'map -int-> both',
        'map 2 -int-> both',
        'both -int-> map 3',
        'both -int-> map 4',
        'map 3 -int-> output',
        'map 4 -int-> output',
      ],
    ],
    [
      'a port of a chain that nothing is wired to',
      `let pair : (!int, !int) -> (!int, !int) = map(value) * map(value + 1)\n${body('input ; pair@input2\npair@output2 ; output')}`,
      ['input -int-> map 2', 'map 2 -int-> output'],
    ],
    [
      'a channel between two places is a name on the wire, any other a box with its type',
      body(
        'let one : !int = channel\nlet many : !int = channel\ninput ; one\none ; map(value) ; many\ninput ; many\nmany ; output\nmany ; discard',
      ),
      ['input --> many', 'input -one: int-> map', 'many --> output', 'many --> discard', 'map --> many'],
    ],
    [
      'a cycle goes back to where it began',
      body('input ; map(value - 1) ; filter(value > 0) ; output\nlet back : !int = channel\nback ; filter(value > 9) ; back\ninput ; back'),
      ['input --> back', 'input -int-> map', 'back --> filter 2', 'map -int-> filter', 'filter -int-> output', 'filter 2 --> back'],
    ],
    [
      'parts of a barrier are counted as project does',
      body('input ; (id * map(value)) ; barrier ; project(1) ; output'),
      [
        'input -int-> id',
        'input -int-> map',
        'id -int-> barrier.0',
        'map -int-> barrier.1',
        'barrier -(int, int)-> project',
        'project -int-> output',
      ],
    ],
    [
      'what is looked at as it comes shows both types',
      body('input ; map({ a: parse(value) }).a ; map(value) ; output', '!int', '!string'),
      ['input -string-> map', 'map -{ a: json }-> .a', '.a -json-> map 2', 'map 2 -json → int-> output'],
    ],
    [
      'a declared type is called by its name, whatever was inferred of what gives it',
      `type Pair = { a: int, b: int }\nlet sum : !Pair -> !int = map(a + b)\n${body('input ; map({ a: value, b: 1 }) ; sum ; output')}`,
      ['input -int-> map', 'map -Pair-> sum', 'sum -int-> output'],
    ],
    [
      'control and telemetry are told apart, ports named where they do not go without saying',
      `${AGENTS}\nlet main : !string -> !string = plumb(input, output) {\nlet o : !Order = channel\nlet r : !json = channel\nlet e : !json = channel
spawn bot(input=input, ctrl_in=o, output=output, ctrl_out=r, telemetry=e)\nspawn watch(r, e, o)\n}`,
      [
        'input -string-> bot.input',
        'bot.output -string-> output',
        'bot.ctrl_out control -r: json-> watch.replies',
        'bot.telemetry telemetry -e: json-> watch.events',
        'watch.orders control -o: Order-> bot.ctrl_in',
      ],
    ],
  ]
  for (const [what, program, wires] of cases) t.strictSame(drawn(pictureOf('main', graphOf(program))), wires, what)
})

t.test('control goes in and out at the side, and what closes a loop is laid out backwards', async (t) => {
  const steered = (from: string) =>
    toDot(
      pictureOf(
        'main',
        graphOf(
          `${AGENTS}\n${body(`input ; bot ; output\n${from} ; map({ pause: true }) ; bot@ctrl_in\nbot@ctrl_out ; discard`, '!string', '!string')}`,
        ),
      ),
    )
      .split('\n')
      .find((line) => line.includes('"bot":i1:_'))
  t.match(steered('bot'), /^ {2}"bot":i1:_ -> "map" .*dir=back/)
  t.match(steered('input'), /^ {2}"map" -> "bot":i1:_ .*constraint=false/)
  t.match(toDot(pictureOf('main', graphOf(body('input ; output'))), 'dark'), 'bgcolor="#14181e"')

  // Two agents beside each other, which one order reaches: their wires come to the side that is nearer, and heads stay outside.
  const two = ['one', 'two'].map((name) => `let ${name} : (!string, !json) -> !string = agent { provider: "eliza", model: "doctor" }`)
  const wires = `input ; one ; output\ninput ; two ; output\none ; map({ pause: true }) ; one@ctrl_in\ntwo ; map({ resume: true }) ; two@ctrl_in\none@ctrl_out ; discard\ntwo@ctrl_out ; discard`
  const svg = await toSvg(toDot(pictureOf('main', graphOf(`${two.join('\n')}\n${body(wires, '!string', '!string')}`))))
  const parts = svg.split(/(?=<g id="(?:node|edge)\d+" class=)/)
  const points = (text: string) => [...text.matchAll(/(-?[\d.]+),(-?[\d.]+)/g)].map(([, x]) => Number(x))
  const heads = parts.flatMap((part) => {
    const [, name] = /xlink:title="map[^"]* → (one|two)&/.exec(part) ?? []
    return name === undefined || !part.includes('#d2691e')
      ? []
      : [{ name, head: points(/<polygon[^>]* points="([^"]*)"/.exec(part)?.[1] ?? '') }]
  })
  t.equal(heads.length, 2)
  for (const { name, head } of heads) {
    const box = points(/ d="([^"]*)"/.exec(parts.find((part) => part.includes(`<title>${name}</title>`)) ?? '')?.[1] ?? '')
    const [left, right] = [Math.min(...box), Math.max(...box)]
    t.ok(head.length > 2 && head.every((x) => x <= left + 1 || x >= right - 1), `${name}: ${JSON.stringify({ left, right, head })}`)
  }
})

t.test('boxes', async (t) => {
  const picture = pictureOf(
    'main',
    graphOf(`${AGENTS}
let shell : !string -> !string = agent { command: ["./x.sh", "-v"] }
let tidy : !string -> !string = map(trim(value)) ; filter(length(value) > 0)
let main : !string -> !string = plumb(input, output) { input ; tidy ; bot ; shell ; output }`),
  )
  const said = picture.boxes.map(({ id, kind, detail, tools, frames }) => [id, [kind, detail, ...tools, ...frames.map(({ name }) => name)]])
  t.strictSame(Object.fromEntries(said), {
    input: ['input', ''],
    output: ['output', ''],
    map: ['map', 'trim(value)', 'tidy'],
    filter: ['filter', 'length(value) > 0', 'tidy'],
    bot: ['agent', 'agent · eliza doctor', 'find', 'web (mcp)'],
    shell: ['agent', 'agent · ./x.sh -v'],
  })
  const texts = [toDot(picture), toMermaid(picture), JSON.stringify(picture)]
  t.notOk(
    texts.some((text) => text.includes('secret')),
    'what configures a server stays out',
  )
})

t.test('chains of chains are drawn however deep they are', async (t) => {
  const depth = 2000
  const chains = Array.from(
    { length: depth },
    (_, i) => `let c${i} : !int -> !int = ${i === 0 ? 'map(value + 1) ; map(value)' : `c${i - 1} ; id`}`,
  )
  const picture = pictureOf('main', graphOf(`${chains.join('\n')}\n${body(`input ; c${depth - 1} ; output`)}`))
  t.equal(picture.boxes.length, depth + 3)
  t.equal(picture.wires.length, depth + 2)
})

t.test('long types and expressions are cut, and whole in the tip', async (t) => {
  const type = `{ ${Array.from({ length: 30 }, (_, i) => `field${i}: int`).join(', ')} }`
  const picture = pictureOf(
    'main',
    graphOf(body('input ; filter(field1 > 0 and field2 > 0 and field3 > 0 and field4 > 0) ; output', `!${type}`, `!${type}`)),
  )
  t.ok(picture.wires.every(({ label, tip }) => label.length <= 30 && tip.includes(type)))
  t.ok(picture.boxes.every(({ detail, tip }) => detail.length <= 36 && tip.includes(type)))
  t.match(picture.boxes[2]?.tip, 'field4 > 0')
})

t.test('json has every node and every wire as they run', async (t) => {
  const chain = 'let tidy : !json -> !int = map(value) ; filter(value > 0)\n'
  const graph = JSON.parse(toJson('main', graphOf(chain + body('input ; tidy ; output', '!int', '!json'))))
  t.equal(graph.binding, 'main')
  t.strictSame(
    graph.nodes.map((n: { kind: string }) => n.kind),
    ['input', 'output', 'inlet', 'outlet', 'map', 'filter'],
  )
  t.strictSame(graph.nodes[4], {
    ...{ id: 4, name: 'map', kind: 'map', inputs: [{ name: 'input', type: 'json' }], outputs: [{ name: 'output', type: 'json' }] },
    ...{ expression: 'value', within: ['tidy'] },
  })
  t.has(
    graph.edges.find((e: { to: number }) => e.to === 3),
    { from: 5, output: 'output', to: 3, input: 'input', type: 'json', checked: true },
  )
})

t.test('png is as large as the picture on a sharp screen, and the same each time', async (t) => {
  const svg = await toSvg(toDot(pictureOf('main', graphOf(body('input ; map({ text: "é → 日本", value }).value ; output')))))
  const png = Buffer.from(await toPng(svg))
  const [, width, height] = /<svg width="(\d+)pt" height="(\d+)pt"/.exec(svg) ?? []
  t.equal(png.subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n')
  t.ok(Math.abs(png.readUInt32BE(16) - Number(width) * (8 / 3)) < 8, 'width')
  t.ok(Math.abs(png.readUInt32BE(20) - Number(height) * (8 / 3)) < 8, 'height')
  t.ok(png.equals(await toPng(svg)))
})

const NESTED = `
let inc : !int -> !int = map(value + 1)
let deep : !int -> !int = plumb(a, b) { a ; inc ; b }
let two : (!int, !string) -> (!string, !int) = plumb(n, s, t, m) { n ; deep ; m
 s ; map(value + "!") ; t }
${body('input ; two@n\ntwo@m ; output\ninput ; map("x") ; two@s\ntwo@t ; discard')}`

t.test('nested plumbs are drawn open, so many levels deep, with the wires of all their ports', async (t) => {
  const at = (levels: number) => {
    const { graph, places } = expandPlumbs(graphOf(NESTED), levels)
    return pictureOf('main', graph, undefined, places)
  }
  t.strictSame(drawn(at(0)), [
    'input -int-> two.n',
    'input -int-> map',
    'two.t -string-> discard',
    'two.m -int-> output',
    'map -"x"-> two.s',
  ])
  t.strictSame(drawn(at(1)).sort(), [
    'deep.b -int-> output',
    'input -int-> deep.a',
    'input -int-> map 2',
    'map -string-> discard',
    'map 2 -"x"-> map',
  ])
  const open = at(2)
  t.strictSame(drawn(open).sort(), [
    'inc -int-> output',
    'input -int-> inc',
    'input -int-> map 2',
    'map -string-> discard',
    'map 2 -"x"-> map',
  ])
  t.match(
    open.boxes.find(({ id }) => id === 'inc'),
    { place: 'two~deep~inc', frames: [{ name: 'two' }, { name: 'deep' }] },
  )
  t.match(toDot(open, 'none', 'right'), 'rankdir=LR')
  t.match(toMermaid(open, 'right'), /^flowchart LR/)
  await toSvg(toDot(open, 'none', 'right'))
})

t.test('the numbers of a run stand on boxes and wires', async (t) => {
  const dot = toDot(pictureOf('main', graphOf(body('input ; map(value + 1) ; output'))))
  const boxes = new Map([['map', { text: '29 in, 1 failed <b>', isBad: true, href: '#w1-0' }]])
  const svg = await toSvg(withFigures(dot, { boxes, wires: new Map([[wireKey('input', 'map'), [7]]]) }))
  t.match(svg, /int \u00d7 7 /)
  t.match(svg, /fill="#c0392b"[^>]*>29 in, 1 failed &lt;b&gt;</)
  t.match(svg, /xlink:href="#w1-0"/)
})

t.test('a wire beside a wide fan stays within the picture', async (t) => {
  const names = Array.from({ length: 16 }, (_, i) => `w${i}`)
  const agents = names.map((name) => `let ${name} : !string -> !string = agent { provider: "eliza", model: "doctor" }`).join('\n')
  const wires = `(input * ${names.join(' * ')}) ; barrier ; map({ all: value }) ; output\n${names.map((name) => `input ; ${name}`).join('\n')}`
  const svg = await toSvg(toDot(pictureOf('main', graphOf(`${agents}\n${body(wires, '!json', '!string')}`))))
  const numbers = [...svg.matchAll(/ d="([^"]*)"/g)].flatMap(([, path = '']) =>
    [...path.matchAll(/(-?[\d.]+),-?[\d.]+/g)].map(([, x]) => Number(x)),
  )
  t.ok(Math.min(...numbers) > -20, `the leftmost point is at ${Math.min(...numbers)}`)
})

t.test('characters that a png has no glyph for are named', async (t) => {
  t.strictSame(await lackingInPng('<svg><text x="1">é Привет Ωμ ± → 日本</text><text>日 &#1605; 😀 e\u0301</text></svg>'), [
    '日',
    '本',
    'م',
    '😀',
  ])
  t.strictSame(await lackingInPng('<svg><text>plain &amp; simple</text></svg>'), [])
})
