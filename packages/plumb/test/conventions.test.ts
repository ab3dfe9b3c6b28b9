// The names that we send to collectors, against the package that OpenTelemetry generates from its model files; what is not in it is named here,
// with the reason.

import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import t from 'tap'
import { providerName } from '../../runtime/src/display/otlp/provider-name.js'
import { ACCOUNTS } from '../../wire/src/accounts.js'
import { ATTRIBUTES, METRICS } from './conventions.js'

// Tests run in the root.
const require = createRequire(join(process.cwd(), 'packages/plumb/package.json'))
const DIRECTORY = dirname(require.resolve('@opentelemetry/semantic-conventions/incubating'))

/** Declarations of the package: of what, its text, and what is said before it. */
const DECLARED = ['stable', 'experimental'].flatMap((status) =>
  ['attributes', 'metrics'].flatMap((kind) => {
    const text = readFileSync(join(DIRECTORY, `${status}_${kind}.d.mts`), 'utf8')
    return [...text.matchAll(/\/\*\*((?:(?!\*\/).)*)\*\/\s*declare const (\w+): "([^"]+)"/gs)].map(
      ([, said = '', constant = '', value = '']) => ({
        ...{ constant, value },
        replaced: /@deprecated (?!Moved to)(.*)/.exec(said)?.[1],
      }),
    )
  }),
)
const NAMES = new Map(DECLARED.filter(({ constant }) => /^(ATTR|METRIC)_/.test(constant)).map((one) => [one.value, one]))

/** Its well-known values, without those that it no longer wants. */
const knownValues = (attribute: string): ReadonlySet<string> => {
  const prefix = `${attribute.toUpperCase().replaceAll('.', '_')}_VALUE_`
  const own = DECLARED.filter(({ constant, replaced }) => constant.startsWith(prefix) && replaced === undefined)
  return new Set(own.map(({ value }) => value))
}

// The package has what generative AI was before it moved to a repository of its own, whose first release, 0.1.0, has these.
const OF_GENAI = new Set([
  'gen_ai.client.inference.duration',
  'gen_ai.client.inference.usage.cache_read.input_tokens',
  'gen_ai.client.inference.usage.cache_write.input_tokens',
  'gen_ai.client.inference.usage.input_tokens',
  'gen_ai.client.inference.usage.output_tokens',
  'gen_ai.client.inference.usage.reasoning.output_tokens',
  'gen_ai.execute_tool.duration',
  'gen_ai.invoke_agent.duration',
  'gen_ai.token.modality',
  'gen_ai.usage.cache_write.input_tokens',
])
// OpenTelemetry's specification of metrics names it, for what is beyond a limit of points.
const OF_SPECIFICATION = new Set(['otel.metric.overflow'])
const isOurs = (name: string): boolean => name.startsWith('plumb.')

t.test('each name of our table is in the package, and is to be used', async (t) => {
  const names = [...Object.keys(ATTRIBUTES), ...Object.keys(METRICS)].filter((name) => !isOurs(name) && !OF_SPECIFICATION.has(name))
  t.ok(NAMES.size > 1_000, `${NAMES.size} names`)
  t.strictSame(names.filter((name) => !NAMES.has(name)).sort(), [...OF_GENAI].sort(), 'those that it lacks')
  const replaced = names.flatMap((name) => NAMES.get(name)?.replaced ?? []).map((why) => why.trim())
  t.strictSame(replaced, [])
})

t.test('each name that is in our sources is in the table', async (t) => {
  const files = ['packages/runtime/src/display/otlp', 'packages/plumb-tool/src/otlp'].flatMap((directory) =>
    readdirSync(directory).map((file) => join(directory, file)),
  )
  const texts = [...files, 'packages/plumb-mcp/src/server/request-spans.ts', 'packages/engine/src/worker-watch.ts'].map((file) =>
    readFileSync(file, 'utf8'),
  )
  const first = new Set([...Object.keys(ATTRIBUTES), ...Object.keys(METRICS)].map((name) => name.split('.')[0]))
  const written = texts.flatMap((text) => [...text.matchAll(/['"]([a-z_]+(?:\.[a-z_]+)+)['"]/g)].map(([, name = '']) => name))
  const names = [...new Set(written)].filter((name) => first.has(name.split('.')[0]) && !isOurs(name))
  t.ok(names.length > 40, `${names.length} names`)
  t.strictSame(
    names.filter((name) => !(name in ATTRIBUTES) && !(name in METRICS)),
    [],
  )
})

/** Values of ours where the package has none that fits, which the conventions allow. */
const OWN_VALUES: Readonly<Record<string, readonly string[]>> = {
  // Of GenAI 0.1.0, behind the package.
  'gen_ai.provider.name': ['moonshot_ai'],
  'gen_ai.token.modality': ['text', 'image', 'audio', 'unknown'],
}

t.test('each well-known value of our table is one of the package', async (t) => {
  for (const [name, values] of Object.entries(ATTRIBUTES)) {
    if (typeof values === 'string') continue
    const known = knownValues(name)
    t.strictSame(
      values.filter((value) => !known.has(value)),
      OWN_VALUES[name] ?? [],
      name,
    )
  }
})

// The conventions have no value for programs on this machine, for those that hand on to others, nor for what is no model.
const OWN_PROVIDERS = ['ollama', 'lmstudio', 'llamacpp', 'vllm', 'openrouter', 'together', 'fireworks', 'eliza', 'person']

t.test('each provider has the name that the package has for it', async (t) => {
  const known = knownValues('gen_ai.provider.name')
  t.ok(known.size > 10)
  const providers = [...ACCOUNTS.map(({ name }) => name), 'eliza', 'person']
  t.strictSame(
    providers.filter((name) => !known.has(providerName(name))),
    OWN_PROVIDERS,
  )
})
