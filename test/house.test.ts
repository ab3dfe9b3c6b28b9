// The rules that no compiler checks: which imports are allowed, how long a file may be, what the top level contains.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, join, sep } from 'node:path'
import t from 'tap'
import { findTimedAssertions } from './elapsed-time.js'
import { NOT_TRIED } from './faults/not-tried.js'
import { findLargeStates, findLongFunctions } from './function-lengths.js'
import { directoriesOf, findCycles, importsOf, readGraph } from './import-graph.js'

// Tests run in the root.
const PACKAGES = readdirSync('packages')

const TOP_LEVEL = [
  ...[
    '.ci',
    '.gitattributes',
    '.github',
    '.gitignore',
    '.pre-commit-hooks.yaml',
    'ARCHITECTURE.md',
    'CHANGELOG.md',
    'CODE_OF_CONDUCT.md',
    'CONTRIBUTING.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'action.yml',
    'biome.json',
    'doc',
    'man',
    'package.json',
    'packages',
  ],
  ...['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'python', 'scripts', 'test', 'tsconfig.base.json'],
]
const NOT_OURS = ['__pycache__', '.mypy_cache', '.git', 'node_modules', 'dist', 'try']

/** The packages that each package may import. */
const ALLOWED_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  wire: [],
  ledger: ['wire'],
  lang: ['wire'],
  policy: ['lang', 'ledger', 'wire'],
  sandbox: ['policy', 'lang', 'wire'],
  'mcp-client': ['sandbox', 'policy', 'lang', 'wire'],
  'plumb-tool': ['mcp-client', 'sandbox', 'policy', 'lang', 'ledger', 'wire'],
  'plumb-agent': ['plumb-tool', 'sandbox', 'policy', 'lang', 'ledger', 'wire'],
  'plumb-mcp': ['plumb-tool', 'sandbox', 'policy', 'lang', 'ledger', 'wire'],
  runtime: ['plumb-tool', 'policy', 'lang', 'ledger', 'wire'],
  engine: ['runtime', 'policy', 'lang', 'ledger', 'wire'],
  'spec-test': ['runtime', 'plumb-tool', 'policy', 'lang', 'ledger', 'wire'],
  client: [],
  plumb: ['client', 'engine', 'spec-test', 'runtime', 'plumb-tool', 'sandbox', 'policy', 'lang', 'ledger', 'wire'],
  'plumb-mux': ['wire'],
  'plumb-serve': ['engine', 'runtime', 'lang', 'ledger', 'wire'],
  'plumb-chat': ['ledger', 'wire'],
}

/** Of some packages, only these parts may be imported. */
const PARTS: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  lang: { wire: /^@plumb\/wire\/(accounts|error|given-values|is-record|json|nearest|once|pattern|preview|protocol|result|terminal)$/ },
  'plumb-agent': {
    'plumb-tool':
      /^@plumb\/tool\/(call\/(cut-text|fit|fit-schema|type-of-schema)|compose\/(chain-names|compose|description)|protocol\/(not-held|walk)|registry\/unloadable|source\/(checked-tool|agent\/(prompt-program|prompt-reach)|function\/load-alone|skill\/(load-skills|skill-tool)))$/,
  },
}

/** The files that may import each dependency. A new dependency needs a row here. */
const DEPENDENCY_IMPORTERS: Readonly<Record<string, RegExp>> = {
  '@a2a-js/sdk': /^packages\/(plumb-serve\/src\/routes\/a2a|runtime\/src\/remote)\//,
  '@agentclientprotocol/sdk': /^packages\/plumb-chat\/src\/acp\//,
  '@anthropic-ai/sdk': /^packages\/plumb-agent\/src\/provider\/anthropic\//,
  '@expo-google-fonts/arimo': /^packages\/runtime\/src\/draw\/svg\.ts$/,
  '@modelcontextprotocol/sdk': /^packages\/(mcp-client|plumb-mcp)\/src\//,
  '@mozilla/readability': /^packages\/plumb-tool\/src\/source\/builtin\/web\/html\//,
  '@resvg/resvg-wasm': /^packages\/runtime\/src\/draw\/svg\.ts$/,
  '@viz-js/viz': /^packages\/runtime\/src\/draw\/svg\.ts$/,
  '@sqlite.org/sqlite-wasm': /^packages\/plumb-tool\/src\/source\/builtin\/search\/sqlite\.ts$/,
  ajv: /^packages\/wire\/src\/json\/schema\.ts$/,
  commander: /^packages\/([^/]+\/src\/main[^/]*|plumb-tool\/src\/cli\/flags)\.ts$/,
  'lru-cache': /^packages\/plumb-tool\/src\/(call\/cache|source\/builtin\/web\/read-page)\.ts$/,
  'eventsource-parser': /^packages\/plumb-agent\/src\/provider\/http\/server-events\.ts$/,
  'node:child_process': /^packages\/(wire\/src\/|client\/src\/pipe|plumb\/src\/command\/run-on-path\.ts$)/,
  hast: /^packages\/plumb-tool\/src\/source\/builtin\/web\/html\//,
  'hast-util-from-parse5': /^packages\/plumb-tool\/src\/source\/builtin\/web\/html\//,
  'hast-util-to-html': /^packages\/plumb-tool\/src\/source\/builtin\/web\/html\//,
  'hast-util-to-mdast': /^packages\/plumb-tool\/src\/source\/builtin\/web\/html\//,
  linkedom: /^packages\/plumb-tool\/src\/source\/builtin\/web\/html\//,
  mdast: /^packages\/plumb-tool\/src\/source\/builtin\/web\/html\//,
  'mdast-util-gfm': /^packages\/plumb-tool\/src\/source\/builtin\/web\/html\//,
  'mdast-util-to-markdown': /^packages\/plumb-tool\/src\/source\/builtin\/web\/html\//,
  parse5: /^packages\/plumb-tool\/src\/source\/builtin\/web\/html\//,
  'ipaddr.js': /^packages\/sandbox\/src\/net\/public-addresses\.ts$/,
  openai: /^packages\/plumb-agent\/src\/provider\/openai\//,
  pg: /^packages\/engine\/src\/(connection|pg\.d)\.ts$/,
  pino: /^packages\/(wire\/src\/cli|plumb-serve\/src\/look)\/log\.ts$/,
  split2: /^packages\/wire\/src\//,
  sucrase: /^packages\/plumb-tool\/src\/source\/function\/strip-types\.ts$/,
  'vscode-languageserver-protocol': /^packages\/plumb\/src\/lsp\//,
  yaml: /^packages\/plumb-tool\/src\/source\/agent\/front-matter\.ts$/,
  undici:
    /^packages\/(plumb-agent\/src\/provider|plumb-tool\/src\/(source\/builtin|otlp)|mcp-client\/src|plumb-mcp\/src|plumb\/src\/command\/prices)\//,
  ignore: /^packages\/sandbox\/src\/path\/ignore-rules\.ts$/,
  re2js: /^packages\/(plumb-tool\/src\/source\/builtin\/|wire\/src\/pattern\.ts$)/,
}

/** Directories inside a package of which other files may import only these, given relative to the directory. */
const ENTRY_POINTS: Readonly<Record<string, RegExp>> = {
  'packages/plumb-tool/src/source/builtin': /^(builtin-tool|declarations|table|file\/(line-window|read-file|text-file))\.ts$/,
}

const MAX_LINES = 400
const MAX_FUNCTION_LINES = 80
/** A class with more fields that change has its states in a table, in the comment at the head of its file. */
const MAX_CHANGING_FIELDS = 10
const FORBIDDEN_NAME = /^(utils?|helpers?|common|misc|managers?|handlers?)$/

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly bin?: Readonly<Record<string, string>>
}

const manifest = (name: string): Manifest => JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8'))

const references = (name: string): string[] => {
  const config: { references?: { path: string }[] } = JSON.parse(readFileSync(`packages/${name}/tsconfig.json`, 'utf8'))
  return (config.references ?? []).map(({ path }) => path).sort()
}

const sources = (name: string): string[] => filesUnder(`packages/${name}/src`).filter((file) => file.endsWith('.ts'))

/** The text of a manual page is not a source of another package. */
const leaves =
  (name: string) =>
  ({ file, specifier }: { file: string; specifier: string }): boolean =>
    specifier.startsWith('.') && !specifier.endsWith('?keys') && !join(file, '..', specifier).startsWith(join('packages', name) + sep)

/** The directory of a package of ours; undefined for any other. */
const packageOf = (specifier: string): string | undefined => {
  const [, name = ''] = /^@plumb\/([^/]+)/.exec(specifier) ?? []
  if (name !== '') return name === 'tool' ? 'plumb-tool' : name
  return PACKAGES.includes(specifier.split('/')[0] ?? '') ? specifier.split('/')[0] : undefined
}

const module = (specifier: string): string => {
  if (isBuiltin(specifier)) return specifier.startsWith('node:') ? specifier : `node:${specifier}`
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

/** The names that an index of ours exports, each with the file that declares it. */
const declarationsOf = (index: string): Map<string, string> =>
  new Map(
    [...readFileSync(index, 'utf8').matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)].flatMap(
      ([, names = '', specifier = '']) => {
        const from = specifier.startsWith('@plumb/') ? entryOf(specifier) : join(index, '..', tsOf(specifier))
        const list = names.split(',').map((each) => each.trim().replace(/^type /, ''))
        return list.map((own) => [own, declares(from, own) ? from : (declarationsOf(from).get(own) ?? from)] as const)
      },
    ),
  )

const declares = (file: string, name: string): boolean =>
  new RegExp(`^export (const|interface|type|class) ${name}\\b`, 'm').test(readFileSync(file, 'utf8'))

/** `@plumb/wire/json` as the file that its package names. */
const entryOf = (specifier: string): string => {
  const directory = `packages/${packageOf(specifier)}`
  const { exports } = JSON.parse(readFileSync(`${directory}/package.json`, 'utf8')) as { exports: Record<string, string> }
  return join(directory, exports[['.', ...specifier.split('/').slice(2)].join('/')] ?? '')
}

const tsOf = (specifier: string): string => specifier.replace(/\.js$/, '.ts')

const filesUnder = (directory: string): string[] =>
  existsSync(directory)
    ? readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
        if (NOT_OURS.includes(entry.name)) return []
        return entry.isDirectory() ? filesUnder(join(directory, entry.name)) : [join(directory, entry.name)]
      })
    : []

t.test('each package imports only what the table allows', async (t) => {
  for (const name of PACKAGES) {
    const allowed = ALLOWED_IMPORTS[name]
    t.ok(allowed, `packages/${name} is in the table of allowed imports`)
    const imports = sources(name).flatMap((file) => importsOf(file).map((specifier) => ({ file, specifier })))
    const wrong = imports.filter(({ specifier }) => {
      const to = packageOf(specifier)
      const part = to && PARTS[name]?.[to]
      return to !== undefined && (!allowed?.includes(to) || (part && !part.test(specifier)))
    })
    t.strictSame(wrong, [], `packages/${name}: imports`)
    t.strictSame(imports.filter(leaves(name)), [], `packages/${name}: relative imports stay inside`)
    const dependencies = Object.keys(manifest(name).dependencies ?? {}).filter((dependency) => packageOf(dependency))
    t.strictSame(
      dependencies.filter((dependency) => !allowed?.includes(packageOf(dependency) ?? '')),
      [],
      `packages/${name}: dependencies`,
    )
    t.strictSame(
      references(name),
      dependencies.map((dependency) => `../${packageOf(dependency)}`).sort(),
      `packages/${name}: tsconfig references`,
    )
  }
})

t.test('each dependency is imported only where the table says', async (t) => {
  for (const name of PACKAGES) {
    const wrong = sources(name).flatMap((file) =>
      importsOf(file)
        .filter((specifier) => !specifier.startsWith('.') && packageOf(specifier) === undefined)
        .filter((specifier) =>
          DEPENDENCY_IMPORTERS[module(specifier)] ? !DEPENDENCY_IMPORTERS[module(specifier)]?.test(file) : !isBuiltin(specifier),
        )
        .map((specifier) => `${file}: ${specifier}`),
    )
    t.strictSame(wrong, [], `packages/${name}`)
  }
})

t.test('directories with entry points are imported only by those', async (t) => {
  const graph = [...readGraph(PACKAGES)]
  for (const [directory, entryPoints] of Object.entries(ENTRY_POINTS)) {
    const isInside = (file: string): boolean => file.startsWith(`${directory}/`)
    t.ok(
      graph.some(([file]) => isInside(file)),
      `${directory} has files`,
    )
    const wrong = graph
      .filter(([file]) => !isInside(file))
      .flatMap(([file, imports]) => imports.filter(isInside).map((to) => `${file}: ${to}`))
      .filter((found) => !entryPoints.test(found.slice(found.indexOf(`${directory}/`) + directory.length + 1)))
    t.strictSame(wrong, [], directory)
  }
})

t.test('no file imports itself by way of others, types included', async (t) => {
  t.strictSame(findCycles(readGraph(PACKAGES)), [], 'move what the files of a cycle share into a file of its own')
})

t.test('no room of a package, a directory of its src, imports itself by way of others, types included', async (t) => {
  const graph = readGraph(PACKAGES)
  for (const name of PACKAGES)
    t.strictSame(findCycles(directoriesOf(graph, name)), [], `${name}: move what these rooms share into one below them`)
})

t.test('cycles are found', async (t) => {
  const graph = new Map([
    ['a', ['b', 'd']],
    ['b', ['c']],
    ['c', ['a']],
    ['d', ['e']],
    ['e', []],
    ['f', ['a', 'f']],
  ])
  t.strictSame(findCycles(graph), [['a', 'b', 'c']])
  const files = [...readGraph(PACKAGES)]
  t.ok(files.some(([file, imports]) => file.startsWith('packages/plumb/') && imports.includes('packages/wire/src/index.ts')))
  t.ok(files.some(([, imports]) => imports.includes('packages/policy/src/permit.ts')))
  const directories = directoriesOf(
    new Map([
      ['packages/a/src/one/x.ts', ['packages/a/src/one/y.ts', 'packages/b/src/z.ts']],
      ['packages/a/src/one/y.ts', ['packages/a/src/main.ts']],
      ['packages/a/src/main.ts', ['packages/a/src/one/x.ts']],
      ['packages/b/src/z.ts', ['packages/a/src/one/y.ts']],
    ]),
    'a',
  )
  t.strictSame(
    [...directories],
    [
      ['one', ['main.ts']],
      ['main.ts', ['one']],
    ],
  )
})

t.test('of the official SDKs only types are used', async (t) => {
  const sdks = /^import (?!type\b)[^']* from '(@anthropic-ai\/sdk|openai)\b|\b(import|require)\('(@anthropic-ai\/sdk|openai)\b/m
  const wrong = PACKAGES.flatMap((name) => sources(name).filter((file) => sdks.test(readFileSync(file, 'utf8'))))
  t.strictSame(wrong, [])
})

t.test('file descriptors from 3 up are opened by wire alone', async (t) => {
  const opens =
    /\b(createReadStream|createWriteStream|Socket|ReadStream|WriteStream|readSync|writeSync)\b[^\n]*\bfd: *\w|\b(readSync|writeSync)\([3-9]\b/
  const wrong = PACKAGES.filter((name) => name !== 'wire').flatMap((name) =>
    sources(name).filter((file) => opens.test(readFileSync(file, 'utf8'))),
  )
  t.strictSame(wrong, [])
})

t.test(`no file is longer than ${MAX_LINES} lines, or has a name that says nothing`, async (t) => {
  const files = PACKAGES.flatMap((name) => filesUnder(`packages/${name}/src`))
  const long = files.filter((file) => file.endsWith('.ts') && readFileSync(file, 'utf8').split('\n').length - 1 > MAX_LINES)
  t.strictSame(long, [], 'length')
  t.strictSame(
    files.filter((file) => file.split('/').some((part) => FORBIDDEN_NAME.test(part.replace(/\..*$/, '')))),
    [],
    'names',
  )
})

t.test(`no function is longer than ${MAX_FUNCTION_LINES} lines`, async (t) => {
  const long = PACKAGES.flatMap((name) =>
    sources(name).flatMap((file) => findLongFunctions(readFileSync(file, 'utf8'), MAX_FUNCTION_LINES).map((found) => `${file}: ${found}`)),
  )
  t.strictSame(long, [], 'split it, or make a class of what it closes over')
  const text = ['const outer = () => {', 'function inner() {', 'return 1', '}', '}', 'class A { one() {', '} }'].join('\n')
  t.strictSame(findLongFunctions(text, 2), ['outer (5)', 'inner (3)'])
})

t.test(`a class with more than ${MAX_CHANGING_FIELDS} fields that change has a table of its states`, async (t) => {
  const without = PACKAGES.flatMap((name) =>
    sources(name).flatMap((file) => {
      const text = readFileSync(file, 'utf8')
      const [head = ''] = text.split('\n\n', 1)
      const rows = head.match(/^\/\/ {2,}\S.* {2,}\S/gm) ?? []
      return rows.length > 2 ? [] : findLargeStates(text, MAX_CHANGING_FIELDS).map((found) => `${file}: ${found}`)
    }),
  )
  t.strictSame(without, [], 'write the states, and what leads from one to the other, as a table; or split it')
  t.strictSame(findLargeStates('class A { a = 1; readonly b = 2; #c; static d = 3; e() {} }', 1), ['A (2)'])
})

t.test('ARCHITECTURE lists each package and each of its directories, and no other', async (t) => {
  const rows = new Map(
    [...readFileSync('ARCHITECTURE.md', 'utf8').matchAll(/^\| `packages\/([\w-]+)` \| (.*) \|$/gm)].map(([, name, row = '']) => [
      name,
      row,
    ]),
  )
  t.strictSame([...rows.keys()].sort(), [...PACKAGES].sort())
  for (const name of PACKAGES) {
    const own = readdirSync(`packages/${name}/src`, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    const listed = [...(rows.get(name) ?? '').matchAll(/`([\w-]+)`/g)].map(([, directory]) => directory)
    t.strictSame(
      own.map((entry) => entry.name).filter((directory) => !listed.includes(directory)),
      [],
      `packages/${name}: a row names its directories`,
    )
    // Nested directories are named too.
    const directories = filesUnder(`packages/${name}/src`).flatMap((file) => file.split(sep).slice(3, -1))
    t.strictSame(
      listed.filter((directory) => !directories.includes(directory as string)),
      [],
      `packages/${name}: what is not there any more`,
    )
  }
})

t.test('the top level contains what it should, and nothing else', async (t) => {
  t.strictSame(
    readdirSync('.')
      .filter((name) => !NOT_OURS.includes(name))
      .sort(),
    [...TOP_LEVEL].sort(),
  )
})

t.test('CONTRIBUTING and the lines of CHANGELOG are short', async (t) => {
  const linesOf = (file: string): string[] => readFileSync(file, 'utf8').split('\n')
  t.ok(linesOf('CONTRIBUTING.md').length <= 91, 'at most 90 lines: what explains goes into doc or ARCHITECTURE.md')
  t.strictSame(
    linesOf('CHANGELOG.md').filter((line) => line.length > 160),
    [],
    'a sentence a line',
  )
})

t.test('no file names a registry host or a path of one machine', async (t) => {
  const foreign = new RegExp(
    ['//registry\\.', 'npmjs\\.', 'jsr\\.io', 'codeload\\.', 'tarball: *http', '(?:^|[\\s"\'`(=:])/(?:home|root|Users|work)/'].join('|'),
    'm',
  )
  const wrong = filesUnder('.').filter((file) => file !== join('test', 'house.test.ts') && foreign.test(readFileSync(file, 'latin1')))
  t.strictSame(wrong, [])
})

t.test('every executable has the same launcher', async (t) => {
  const stubs = PACKAGES.flatMap((name) => (existsSync(`packages/${name}/bin`) ? [`packages/${name}/bin/${name}`] : []))
  t.ok(stubs.length > 0)
  // The shell part may be longer for one of them.
  const program = (file: string): string => readFileSync(file, 'utf8').split('\nconst ').slice(1).join('\nconst ')
  t.equal(new Set(stubs.map(program)).size, 1)
  for (const file of stubs) t.strictSame(manifest(basename(file)).bin, { [basename(file)]: `bin/${basename(file)}` }, file)
})

t.test('what programs may import is short and documented', async (t) => {
  for (const [name, most] of [
    ['plumb-tool', 31],
    ['plumb-mcp', 10],
    ['plumb-mux', 10],
  ] as const) {
    const exported = declarationsOf(`packages/${name}/src/index.ts`)
    t.ok(exported.size > 0 && exported.size <= most, `${name}: ${exported.size} names`)
    t.strictSame(
      [...exported].filter(
        ([own, file]) => !new RegExp(`\\*/\\nexport (const|interface|type|class) ${own}\\b`).test(readFileSync(file, 'utf8')),
      ),
      [],
      `${name}: each has a docstring`,
    )
  }
})

t.test('only what the lock file pins is installed, and no install script runs', async (t) => {
  t.match(readFileSync('pnpm-workspace.yaml', 'utf8'), /^onlyBuiltDependencies: \[\]$/m)
  const packages =
    readFileSync('pnpm-lock.yaml', 'utf8')
      .split(/^packages:$/m)[1]
      ?.split(/^snapshots:$/m)[0] ?? ''
  const resolutions = packages.match(/^ {4}resolution: .*$/gm) ?? []
  t.ok(resolutions.length > 100)
  t.strictSame(
    resolutions.filter((line) => !/^ {4}resolution: \{integrity: sha512-[\w+/]+=*\}$/.test(line)),
    [],
    'each by its hash, from the registry',
  )
  const manifests = PACKAGES.map((name) => JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8')) as { scripts?: object })
  const ran = manifests.flatMap(({ scripts = {} }) => Object.keys(scripts).filter((name) => /install|prepare/.test(name)))
  t.strictSame(ran, [], 'nor one of our own')
})

t.test('no test asserts on elapsed time', async (t) => {
  const files = [...filesUnder('test'), ...PACKAGES.flatMap((name) => filesUnder(`packages/${name}/test`))].filter((file) =>
    file.endsWith('.ts'),
  )
  const found = files
    .map((file) => [file, findTimedAssertions(readFileSync(file, 'utf8'))] as const)
    .filter(([, lines]) => lines.length > 0)
  t.strictSame(found, [], 'wait for an event with a deadline instead (packages/wire/test/patience.ts)')
  const wrong = "const began = Date.now()\nawait work()\nconst ms = Date.now() - began\nt.ok(ms < 5, 'soon')\nt.ok(Date.now() - began < 5)"
  t.equal(findTimedAssertions(wrong).length, 2)
  t.strictSame(findTimedAssertions('const SEED = Date.now() % 9\nt.ok(count > 5, SEED)'), [])
})

// A title names the cases of plumb-faults(7) that it tests: `fault 12`, `faults 107, 108`.
t.test('each case of the fault table has a test, or a reason why it has none', async (t) => {
  const listed = [...readFileSync('man/plumb-faults.7', 'utf8').matchAll(/^\.It (\d+) /gm)].map(([, number]) => Number(number))

  const files = [...filesUnder('test'), ...PACKAGES.flatMap((name) => filesUnder(`packages/${name}/test`))]
  const named = files.flatMap((file) =>
    [...readFileSync(file, 'latin1').matchAll(/\bfaults? (\d+(?:(?:, | and )\d+)*)/gi)].flatMap(([, list = '']) =>
      list.split(/, | and /).map(Number),
    ),
  )
  const all = listed.map((_, i) => i + 1)
  t.strictSame(listed, all, 'the page numbers them from 1')
  t.ok(all.length > 100)
  t.strictSame(
    named.filter((number) => number > all.length),
    [],
    'numbers that the page lacks',
  )
  t.strictSame(
    all.filter((number) => !named.includes(number) && !(number in NOT_TRIED)),
    [],
    'no test names these',
  )
  t.strictSame(
    Object.keys(NOT_TRIED).filter((number) => named.includes(Number(number))),
    [],
    'cases that have a test are not in the list of those without',
  )
})
