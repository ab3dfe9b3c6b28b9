// long
// Each form for lists, errors and params, and what there is for every form of the language: it is written tidily, drawn, and run in each way
// with the same result, as a tool too where it is total; an editor knows what stands there; and a mistake within it is underlined at its place, and
// its code explained.

import { compile } from '@plumb/lang'
import { completionsAt, format, hoverAt, renameAt } from '@plumb/lang/service'
import t from 'tap'
import { makeShell } from './shell.js'

interface Row {
  readonly spec: string
  /** What `[3,1]`, `[0]` and `[2,2,5]` give, by input. */
  readonly out: readonly (readonly unknown[])[]
  /** What stands there in the drawing. */
  readonly drawn: RegExp
  /** What an editor shows at a word of it. */
  readonly hover: readonly [string, string]
  /** What is written in place of what, and what is underlined then. */
  readonly mistake: readonly [string, string, string]
  /** Errors that are reported. */
  readonly errors?: number
  /** What keeps it from being lowered; else it gives as a tool what it gives for the first input. */
  readonly notTotal?: string
}

const ROWS: Readonly<Record<string, Row>> = {
  each: {
    spec: 'let step : !int -> !int = map(value + 1)\nlet main : ![int] -> ![int] = each(step ; filter(value != 2))\n',
    out: [[[4]], [[1]], [[3, 3, 6]]],
    drawn: /subgraph[^\n]*each[\s\S]*filter/,
    hover: ['each', 'each : ![int] -> ![int]'],
    notTotal: 'filter',
    mistake: ['value != 2', 'value != "2"', 'value != "2"'],
  },
  'each that skips': {
    spec: 'let step : !int -> !number = map(6 / value)\nlet main : ![int] -> ![number] = each(step, on_error: "skip")\n',
    out: [[[2, 6]], [[]], [[3, 3, 1.2]]],
    drawn: /each/,
    hover: ['step, on', 'let step : !int -> !number = map(6 / value)'],
    mistake: ['"skip"', '"ship"', '"ship"'],
    errors: 1,
  },
  flatten: {
    spec: 'let step : !int -> !int = map(value + 1)\nlet main : ![int] -> !int = flatten ; step\n',
    out: [[4, 2], [1], [3, 3, 6]],
    drawn: /flatten/,
    hover: ['flatten', 'flatten : ![int] -> !int'],
    notTotal: 'flatten',
    mistake: ['![int] ->', '!int ->', 'flatten'],
  },
  batch: {
    spec: 'let step : ![[int]] -> !int = map(length(value))\nlet main : ![int] -> !int = batch(2) ; step\n',
    out: [[], [2], [1]],
    drawn: /batch/,
    hover: ['batch', 'batch : ![int] -> ![[int]]'],
    notTotal: 'batch',
    mistake: ['batch(2)', 'batch(0)', '0'],
  },
  fold: {
    spec: 'let step : ![int] -> !int = map(sum(value))\nlet main : ![int] -> !int = step ; fold(state + value, from: 0)\n',
    out: [[4], [4], [13]],
    drawn: /fold/,
    hover: ['state', 'state : int'],
    notTotal: 'fold',
    mistake: ['state + value', 'state + text(value)', 'state'],
  },
  'a port error': {
    spec: `let step : ![int] -> !number = map(6 / value[0])
let main : ![int] -> !json = plumb(input, output) {
  input ; step ; output
  step@error ; map({ error, input: input ?? null }) ; output
}
`,
    out: [[2], [{ error: 'evaluation_failed', input: [0] }], [3]],
    drawn: /error/,
    hover: ['error ;', 'step@error : !Failure'],
    mistake: ['input: input ?? null', 'input: inputs ?? null', 'inputs'],
  },
  '+': {
    spec: 'let step : ![int] -> !number = map(6 / value[0])\nlet main : ![int] -> !number = step + map(0 - length(value))\n',
    out: [[2], [-1], [3]],
    drawn: /\+/,
    hover: ['length', 'length(x) : int'],
    mistake: ['length(value)', 'lenght(value)', 'lenght'],
  },
  param: {
    spec: 'param step : int = 2\nlet main : ![int] -> ![int] = map([x * step for x in value])\n',
    out: [[[6, 2]], [[0]], [[4, 4, 10]]],
    drawn: /step/,
    hover: ['step for', 'param step : int = 2'],
    mistake: ['int = 2', 'int = "2"', '"2"'],
  },
  'a comprehension': {
    spec: 'let step : int -> int = map(value + 1)\nlet main : ![int] -> !json = map(sort([{ x, y: step(x) } for x in value if x > 0], r -> -r.x)[:2])\n',
    out: [
      [
        [
          { x: 3, y: 4 },
          { x: 1, y: 2 },
        ],
      ],
      [[]],
      [
        [
          { x: 5, y: 6 },
          { x: 2, y: 3 },
        ],
      ],
    ],
    drawn: /map/,
    hover: ['r.x', 'r : { x: int, y: int }'],
    mistake: ['x > 0', 'x > "0"', 'x > "0"'],
  },
  'a template': {
    spec: 'let step : int -> string = map($"<{value}>")\nlet main : ![int] -> !string = map($"{length(value)}: {[step(x) for x in value]} {{}}")\n',
    out: [['2: ["<3>","<1>"] {}'], ['1: ["<0>"] {}'], ['3: ["<2>","<2>","<5>"] {}']],
    drawn: /map/,
    hover: ['step(x)', 'let step : int -> string'],
    mistake: ['step(x)', 'step(value)', 'value'],
  },
  'a map': {
    spec: 'let step : { [string]: int } -> int = map(value["a"] ?? 0)\nlet main : ![int] -> !json = map(step(map_of([{ key: "a", value: x } for x in value])))\n',
    out: [[1], [0], [5]],
    drawn: /map/,
    hover: ['map_of', 'map_of('],
    mistake: ['value["a"] ?? 0', 'value["a"]', 'value["a"]'],
  },
  'a tool in a pipeline': {
    spec: 'let adder : ![int] -> !int = map(sum(value))\nlet step : [int] -> int = tool { process: adder }\nlet main : ![int] -> !int = map(step, parallel: 2)\n',
    out: [[4], [0], [9]],
    drawn: /step/,
    hover: ['step, par', 'let step : [int] -> int'],
    mistake: ['parallel: 2', 'parallel: 0', '0'],
  },
}

const INPUT = '[3,1]\n[0]\n[2,2,5]\n'

const { shell } = makeShell({})

const FILES: Parameters<typeof compile>[0]['files'] = {
  read: () => ({ ok: false, error: { error: 'file_not_found', category: 'config', detail: 'no such file' } }),
  find: () => undefined,
  beside: (path) => path,
}

const SCRIPT = `cat > in
exec 2>&1
run() { plumb "$@" < in 2> err; wc -l < err >> errors; }
run main.plumb > out
run --seq main.plumb > seq
run --record rec main.plumb | cmp - out
run --resume rec main.plumb | cmp - out
NODE_OPTIONS=--disallow-code-generation-from-strings run main.plumb | cmp - out
run --max-in-flight 1 main.plumb | cmp - out
run outer.plumb | cmp - out
plumb stage main main.plumb < in 2> err > staged; cmp staged out
plumb --dry-run main.plumb > /dev/null || echo dry-run
plumb render --format mermaid main.plumb > drawn || echo render
plumb render -o drawn.svg main.plumb && grep -q '<svg' drawn.svg || echo svg
plumb check --json wrong.plumb 2>&1 | grep -o '"code":"[a-z_]*"' | head -n 1 | cut -d '"' -f 4 | xargs plumb explain | grep -q 'what to do: .' || echo explain
plumb-tool lowered.plumb call lowered '[3,1]' > lowered 2>&1
sort -u errors; cat seq; echo; head -n 1 lowered; cat drawn
`

/** The program, as a plumb that is nested in another one. */
const nested = (spec: string): string => {
  const [, ports = ''] = /let main : (.*?) =/.exec(spec) ?? []
  return `${spec.replace('let main', 'let inner')}let main : ${ports} = plumb(from, to) {\n  from ; inner ; to\n}\n`
}

/** The program, as a tool. */
const lowered = (spec: string): string => {
  const [, input = '', output = ''] = /let main : !(.*?) -> !(.*?) =/.exec(spec) ?? []
  return `${spec.replace('let main', 'let inner')}@tool true\nlet lowered : ${input} -> ${output} = tool { process: inner }\n`
}

const compiledOf = (text: string) => compile({ path: 'main.plumb', text, files: FILES })

for (const [name, { spec, out, drawn, hover, mistake, errors = 0, notTotal }] of Object.entries(ROWS)) {
  t.test(name, async (t) => {
    const [from, to, underlined] = mistake
    const wrong = spec.replace(from, to)
    const files = { 'main.plumb': spec, 'outer.plumb': nested(spec), 'wrong.plumb': wrong, 'lowered.plumb': lowered(spec) }
    const laid = Object.entries(files).map(([file, text]) => `cat > ${file} <<'END'\n${text}END\n`)
    const ran = await shell(`${laid.join('')}${SCRIPT}`, INPUT)
    const numbered = out.flatMap((values, i) => values.map((value) => `${JSON.stringify({ seq: i + 1, value })}\n`))
    t.equal(ran.out.slice(0, ran.out.indexOf('\n\n') + 1), `${errors}\n${numbered.join('')}`)
    const [asTool = ''] = ran.out.slice(ran.out.indexOf('\n\n') + 2).split('\n')
    if (notTotal === undefined) t.strictSame(JSON.parse(asTool), out[0]?.[0], 'as a tool')
    else t.match(asTool, `cannot lower ${notTotal} to a tool (not total)`, 'as a tool')
    t.match(ran.out.slice(ran.out.indexOf('\n\n')), drawn, 'drawn')
    t.equal(ran.err, '')

    const compiled = compiledOf(spec)
    t.strictSame(compiled.diagnostics, [])
    for (const text of [spec, spec.replace(/ ; /g, '  ;\n   ')])
      t.strictSame(format({ path: 'main.plumb', text }), { ok: true, text: spec }, 'as fmt writes it')
    const [place, code] = hover
    t.match(hoverAt(compiled, spec.lastIndexOf(place))?.code ?? '', code, `hover over ${place}`)
    const declared = spec.indexOf('step')
    const renamed = renameAt(compiled, [], FILES, declared, 'other')
    t.equal(renamed.ok && renamed.value.length, spec.split(/\bstep\b/).length - 1, 'renamed')
    const begun = spec.lastIndexOf('step') + 2
    const broken = `${spec.slice(0, begun)}${spec.slice(begun + 2)}`
    const { items } = completionsAt({ path: 'main.plumb', text: broken }, FILES, begun)
    t.ok(
      items.some(({ label }) => label === 'step'),
      `completed: ${items.map(({ label }) => label).join(' ')}`,
    )

    const [first] = compiledOf(wrong).diagnostics
    t.equal(first && wrong.slice(first.span.start, first.span.end), underlined, first?.message ?? 'no mistake')
  })
}
