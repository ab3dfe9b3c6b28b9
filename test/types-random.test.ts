// long
// Random types in each language: compilers take what plumb types writes, and values of them go there and back unchanged.

import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { open } from '../packages/client/src/index.js'
import { typeOf } from '../packages/lang/src/program/type-text.js'
import { randomValues } from '../packages/lang/src/random/index.js'
import { printType } from '../packages/lang/src/types/print.js'
import { type NamedType, resolve, type Type } from '../packages/lang/src/types/type.js'
import { arbitraryType } from '../packages/lang/test/arbitrary-type.js'
import { refuse } from '../packages/lang/test/parsed.js'
import { compileText } from '../packages/lang/test/reports.js'
import { scaled } from '../packages/wire/test/patience.js'
import { makeTestDirectory, TEST_PATH } from '../packages/wire/test/shell.js'

/** PLUMB_TYPES=300 is the figure that CHANGELOG and page stand on. */
const COUNT = Number(process.env.PLUMB_TYPES ?? 40)
const SEED = Number(process.env.PLUMB_SEED ?? 54)
const VALUES = 3

interface Sample {
  /** Of the type and those that it names. */
  readonly declarations: string
  readonly values: readonly unknown[]
}

/** The named types that it consists of, with names of their own. */
const namedIn = (type: Type, number: number): readonly NamedType[] => {
  const found: NamedType[] = []
  const visit = (part: Type): void => {
    if (part.kind === 'named') {
      if (found.includes(part)) return
      found.push(part)
      ;(part as { name: string }).name = `X${number}_${found.length}`
      visit(part.target)
    } else if (part.kind === 'array' || part.kind === 'map') visit(part.item)
    else if (part.kind === 'tuple') part.items.forEach(visit)
    else if (part.kind === 'sum') part.variants.forEach(visit)
    else if (part.kind === 'record') for (const field of part.fields) visit(field.type)
  }
  visit(type)
  return found
}

/** Undefined: a spec cannot declare it. */
const sampleOf = (type: Type, number: number): Sample | undefined => {
  const named = namedIn(type, number)
  // An object of TypeScript has a constructor of its own, which a field that may be absent cannot have the name of.
  const print = (part: Type): string => printType(part, 100_000).replaceAll('constructor', 'maker')
  const lines = [...named.map(({ name, target }) => `type ${name} = ${print(resolve(target))}`), `type X${number} = ${print(type)}`]
  const declarations = lines.join('\n')
  const { program, diagnostics } = compileText(`${declarations}\nlet main : !X${number} -> !X${number} = id`)
  const declared = diagnostics.length === 0 ? typeOf(`X${number}`, program, refuse) : undefined
  if (!declared) return undefined
  const texts = [...randomValues(declared, { seed: SEED + number, count: VALUES })]
  // A number of many digits is another one in JavaScript, and a float in Python.
  const values = texts
    .filter((text) => !/\d{16}|\de[+-]?\d|\.0+\b|\\ud[89a-f]|__proto__/i.test(text))
    .map((text) => JSON.parse(text) as unknown)
  return { declarations, values }
}

const samples = fc
  .sample(arbitraryType({ withDefaults: false }), { numRuns: COUNT * 2, seed: SEED })
  .flatMap((type, i) => sampleOf(type, i) ?? [])
  .slice(0, COUNT)
const names = samples.map(({ declarations }) => /type (X\d+) = .*$/.exec(declarations.split('\n').at(-1) ?? '')?.[1] ?? '')
const fields = names.map((name) => `${name.toLowerCase()}?: ${name}`)
const spec = `${samples.map(({ declarations }) => declarations).join('\n')}\ntype All = { ${fields.join(', ')} }\nlet main : !All -> !All = id\n`
const inputs = samples.flatMap(({ values }, i) => values.map((value) => ({ [(names[i] ?? '').toLowerCase()]: value })))

const PLUMB = join(process.cwd(), 'packages/plumb/bin/plumb')
const TYPED = join(process.env.PLUMB_OTHERS ?? '', 'typed/bin')
const PATH = existsSync(join(TYPED, 'python3')) ? `${TYPED}:${TEST_PATH}` : TEST_PATH
const ENV = { ...process.env, PATH, PYTHONPATH: join(process.cwd(), 'python'), PYTHONDONTWRITEBYTECODE: '1' }
const run = (cwd: string, words: readonly string[]) => {
  const [program = '', ...args] = words
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env: ENV, encoding: 'utf8', timeout: scaled(170_000) })
  return { status, stdout: stdout.slice(0, 3000), stderr: stderr.slice(0, 3000) }
}
const passes = { status: 0, stderr: '' }

const TSC = join(process.cwd(), 'node_modules/.bin/tsc')
const HOW = ['--module', 'nodenext', '--target', 'es2022', '--noEmit', '--skipLibCheck', '--allowImportingTsExtensions', '--strict']

const installClient = (at: string): void => {
  const library = join(at, 'node_modules/@plumb-lang/client')
  cpSync('packages/client/src', join(library, 'src'), { recursive: true })
  writeFileSync(join(library, 'package.json'), '{"type":"module","exports":"./src/index.ts"}')
  symlinkSync(join(process.cwd(), 'node_modules/@types'), join(at, 'node_modules/@types'))
}

t.test(`TypeScript: ${samples.length} types, ${inputs.length} values`, async (t) => {
  t.ok(samples.length === COUNT && inputs.length > COUNT)
  const at = makeTestDirectory({ 's.plumb': spec, 'package.json': '{"type":"module"}' })
  installClient(at)
  t.match(run(at, ['plumb', 'types', '-o', 's.ts', 's.plumb']), passes)
  const constants = inputs.map((input, i) => `export const v${i}: All = ${JSON.stringify(input)}`)
  writeFileSync(join(at, 'use.ts'), `import type { All } from './s.js'\n${constants.join('\n')}\n`)
  t.strictSame(run(at, [TSC, ...HOW, 's.ts', 'use.ts']), { ...passes, stdout: '' })
  const c = await open({ spec: 's.plumb', cwd: at, plumb: PLUMB, env: ENV })
  const back: unknown[] = []
  for await (const { value, error } of c.stream('main', inputs)) back.push(error?.detail ?? value)
  await c.close()
  // As text: a field has the name `constructor`, which the assertion asks objects for. 0 and -0 are one value, which JSON writes alike.
  t.strictSame(
    back.map((value) => JSON.stringify(value)),
    inputs.map((value) => JSON.stringify(value)),
  )
})

const noPython = run('.', ['python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status === 0 ? false : 'no Python 3.10'
const MYPY = noPython || run('.', ['python3', '-m', 'mypy', '--version']).status === 0 ? noPython : 'no mypy'
const PYDANTIC = noPython || run('.', ['python3', '-c', 'import pydantic']).status === 0 ? noPython : 'no pydantic'

const BACK = `
import json, plumb
inputs = [json.loads(line) for line in open("in.jsonl")]
with plumb.open("s.plumb") as c:
    back = [item.get("value", item.get("error")) for item in c.stream("main", inputs)]
for given, got in zip(inputs, back, strict=True):
    if given != got: print(given, got)
`
const MODELS = `
import json, plumb, pydantic
import m
All = pydantic.TypeAdapter(m.All)
inputs = [json.loads(line) for line in open("in.jsonl")]
models = [All.validate_python(one) for one in inputs]
for given, model in zip(inputs, models):
    got = All.dump_python(model, mode="json", by_alias=True, exclude_unset=True)
    if given != got: print("model", given, got)
with plumb.open("s.plumb") as c:
    for given, item in zip(inputs, m.Client(c).main.stream(models), strict=True):
        got = All.dump_python(item["value"], mode="json", by_alias=True, exclude_unset=True)
        if given != got: print("back", given, got)
`
const LITERALS = `
import json
lines = [json.loads(line) for line in open("literals.jsonl")]
with open("use.py", "w") as file:
    file.write("from s import All\\n")
    for i, one in enumerate(lines):
        file.write(f"v{i}: All = {one!r}\\n")
`

const linesOf = (all: readonly object[]): string => all.map((one) => `${JSON.stringify(one)}\n`).join('')
// Where lists of several types may stand, as tuples are, mypy looks at what is written, and not at what is wanted.
const literals = samples.flatMap(({ declarations, values }, i) =>
  /number|[|].*\[|\[.*[|]|\(.*[[(|]/s.test(declarations) ? [] : values.map((value) => ({ [(names[i] ?? '').toLowerCase()]: value })),
)

const inPython = () => makeTestDirectory({ 's.plumb': spec, 'in.jsonl': linesOf(inputs), 'literals.jsonl': linesOf(literals) })

t.test('Python', { skip: MYPY }, async (t) => {
  const at = inPython()
  t.match(run(at, ['plumb', 'types', '--to', 'python', '-o', 's.py', 's.plumb']), passes)
  t.match(run(at, ['python3', '-c', LITERALS]), passes)
  t.match(run(at, ['python3', '-m', 'mypy', '--strict', '--python-version', '3.10', 's.py', 'use.py']), { status: 0, stdout: /^Success/ })
  t.strictSame(run(at, ['python3', '-c', BACK]), { ...passes, stdout: '' })
})

t.test('models of pydantic', { skip: PYDANTIC }, async (t) => {
  const at = inPython()
  t.match(run(at, ['plumb', 'types', '--to', 'python', '--pydantic', '-o', 'm.py', 's.plumb']), passes)
  t.strictSame(run(at, ['python3', '-c', MODELS]), { ...passes, stdout: '' })
  if (!MYPY) t.match(run(at, ['python3', '-m', 'mypy', '--strict', '--python-version', '3.10', 'm.py']), { status: 0 })
})

const EXAMPLES = 'packages/plumb/examples'

t.test('all examples', async (t) => {
  const at = makeTestDirectory({ 'package.json': '{"type":"module"}' })
  installClient(at)
  const specs = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.plumb'))
  t.ok(specs.length > 9)
  const names = specs.map((path, i) => [`example_${i}`, join(process.cwd(), EXAMPLES, path)] as const)
  for (const [name, path] of names) {
    t.match(run(at, ['plumb', 'types', '-o', `${name}.ts`, path]), passes, path)
    t.match(run(at, ['plumb', 'types', '--to', 'python', '-o', `${name}.py`, path]), passes, path)
  }
  t.strictSame(run(at, [TSC, ...HOW, ...names.map(([name]) => `${name}.ts`)]), { ...passes, stdout: '' })
  const mypy = ['python3', '-m', 'mypy', '--strict', '--python-version', '3.10']
  if (!MYPY) t.match(run(at, [...mypy, ...names.map(([name]) => `${name}.py`)]), { status: 0, stdout: /^Success/ })
})
