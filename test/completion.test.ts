// long
// What shells complete: as 'plumb completion' says it, in the shells themselves.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t from 'tap'
import { scaled } from '../packages/wire/test/patience.js'
import { Pty } from './pty.js'

const BINS = readdirSync('packages').map((name) => resolve('packages', name, 'bin'))
const PATH = [...BINS, process.env.PATH].join(':')

const directory = mkdtempSync(join(tmpdir(), 'plumb-completion-'))
t.teardown(() => rmSync(directory, { recursive: true, force: true }))
writeFileSync(join(directory, 'a.plumb'), 'let bot : !string -> !string = id\nlet main : !string -> !string = bot\n')
writeFileSync(join(directory, 'b.txt'), '')
mkdirSync(join(directory, 'sub'))

const run = (command: string, ...args: string[]) =>
  spawnSync(command, args, {
    cwd: directory,
    env: { PATH, HOME: directory, LANG: 'C.UTF-8', TERM: 'dumb' },
    encoding: 'utf8',
    timeout: scaled(60_000),
  })

const scriptFor = (shell: string): string => {
  const { status, stdout, stderr } = run('plumb', 'completion', shell)
  t.strictSame({ status, stderr }, { status: 0, stderr: '' }, `plumb completion ${shell}`)
  return stdout
}
const has = (shell: string): boolean => run('sh', '-c', `command -v ${shell}`).status === 0

/** What the last word of the line may become: among all, or exactly. */
const table: readonly (readonly [line: string, wanted: readonly string[], isAll?: boolean])[] = [
  ['plumb-agent --prov', ['--provider', '--providers'], true],
  [
    'plumb-agent --provider ',
    [
      'anthropic',
      'openai',
      'eliza',
      'ollama',
      'lmstudio',
      'llamacpp',
      'vllm',
      'openrouter',
      'groq',
      'mistral',
      'deepseek',
      'xai',
      'gemini',
      'together',
      'fireworks',
      'azure',
      'bedrock',
      'vertex',
    ],
    true,
  ],
  ['plumb-agent --provider e', ['eliza'], true],
  ['plumb render --format s', ['svg'], true],
  ['plumb render --format svg --bind', ['--binding'], true],
  ['plumb che', ['check'], true],
  ['plumb check --j', ['--json'], true],
  ['plumb explain type_mis', ['type_mismatch'], true],
  ['plumb completion ', ['bash', 'zsh', 'fish'], true],
  ['plumb check a', ['a.plumb'], true],
  ['plumb run a.plumb --binding b', ['bot'], true],
  ['plumb stage b', ['bot'], true],
  ['plumb stage bot a', ['a.plumb'], true],
  ['plumb-tool li', ['list'], true],
  ['plumb-chat --no-h', ['--no-history'], true],
  ['plumb-mux --tee', ['--tee'], true],
  ['plumb-mcp too', ['tools'], true],
  ['plumb-agent --policy ', ['a.plumb', 'b.txt']],
  ['plumb-agent ', ['a.plumb']],
]

t.test('bash', async (t) => {
  const more: typeof table = [
    ['plumb-agent --provider=e', ['eliza'], true],
    ['plumb-agent --docroot ', ['sub'], true],
    ['plumb-mux -- plumb-ag', ['plumb-agent'], true],
    ['plumb --binding main a.', ['a.plumb'], true],
    ['plumb fmt -- --c', [], true],
    ['plumb stage --model m b', ['bot'], true],
    ['plumb stage ', ['bot', 'main'], true],
    [`${resolve('packages/plumb/bin/plumb')} che`, ['check'], true],
  ]
  writeFileSync(join(directory, 'plumb.bash'), scriptFor('bash'))
  const lines = [...table, ...more].map(([line]) => {
    const words = line.split(/ |(=)/).filter((word) => word !== undefined)
    const quoted = words.map((word) => `'${word}'`).join(' ')
    return `COMP_WORDS=(${quoted}) COMP_CWORD=${words.length - 1}; _plumb '${words[0]}' '${words.at(-1)}' '${words.at(-2)}'; printf '%s\\n' "\${COMPREPLY[*]}"`
  })
  const { stdout, stderr } = run('bash', '--norc', '-c', `. ./plumb.bash\n${lines.join('\n')}`)
  t.equal(stderr, '')
  const said = stdout.split('\n')
  for (const [i, [line, wanted, isAll]] of [...table, ...more].entries()) {
    // A program that two directories of PATH hold is named twice.
    const found = [...new Set((said[i] ?? '').split(' ').filter((word) => word !== ''))]
    if (isAll) t.strictSame(found, wanted, line)
    else for (const word of wanted) t.ok(found.includes(word), `${line}: ${word}`)
  }
})

t.test('bash, at a terminal', async (t) => {
  const bash = new Pty({ command: ['bash', '--norc', '-i'], cwd: directory, env: { PATH, PS1: '$ ' } })
  t.teardown(() => bash.close())
  await bash.shows(/\$ ?$/)
  bash.type('. ./plumb.bash\r')
  await bash.shows(/plumb\.bash\n\$ ?$/)
  bash.type('plumb-agent --provider e\t')
  await t.resolves(bash.shows('$ plumb-agent --provider eliza'))
})

t.test('zsh', { skip: has('zsh') ? false : 'zsh is not installed' }, async (t) => {
  mkdirSync(join(directory, 'site-functions'), { recursive: true })
  writeFileSync(join(directory, 'site-functions/_plumb'), scriptFor('zsh'))
  t.strictSame(run('zsh', '-n', 'site-functions/_plumb').stderr, '')
  const zsh = new Pty({ command: ['zsh', '-f', '-i'], cwd: directory, columns: 200, env: { PATH, HOME: directory, PS1: '$ ' } })
  t.teardown(() => zsh.close())
  await zsh.shows(/\$ ?$/)
  zsh.type('fpath=($PWD/site-functions $fpath); autoload -Uz compinit; compinit -u -D\r')
  await zsh.shows(/-D\n\$ ?$/)
  for (const [line, wanted, isAll] of table.filter(([, words, all]) => all && words.length === 1)) {
    zsh.type(`\x15${line}\t`)
    await zsh.shows(`$ ${line.slice(0, line.lastIndexOf(' ') + 1)}${wanted[0]}`)
    t.ok(isAll, line)
  }
})

t.test('fish', { skip: has('fish') ? false : 'fish is not installed' }, async (t) => {
  writeFileSync(join(directory, 'plumb.fish'), scriptFor('fish'))
  for (const [line, wanted, isAll] of table) {
    const { stdout, stderr } = run('fish', '--no-config', '-c', `source plumb.fish; complete -C '${line}'`)
    const found = stdout.split('\n').flatMap((text) => text.split('\t', 1)[0] || [])
    t.equal(stderr, '', line)
    if (isAll) t.strictSame(found.sort(), [...wanted].sort(), line)
    else for (const word of wanted) t.ok(found.includes(word), `${line}: ${word}`)
  }
})

t.test('another shell', async (t) => {
  const { status, stderr } = run('plumb', 'completion', 'tcsh')
  t.equal(status, 2)
  t.match(stderr, /"error":"usage".*bash, zsh, fish/)
})
