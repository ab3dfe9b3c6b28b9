// Editors of others, started without a person: a mistake in a spec is seen (Neovim, Helix, Vim), and the extension is packed (vsce).

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t from 'tap'
import { scaled } from '../packages/wire/test/patience.js'
import { Pty } from './pty.js'

const others = process.env.PLUMB_OTHERS ?? ''
const directory = mkdtempSync(join(tmpdir(), 'plumb-editors-'))
t.teardown(() => rmSync(directory, { recursive: true, force: true }))
const at = (...path: string[]): string => join(directory, ...path)

const env = { PATH: `${at('prefix/bin')}:${process.env.PATH}`, HOME: directory, XDG_DATA_HOME: at('prefix/share'), LANG: 'C.UTF-8' }
const run = (command: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  spawnSync(command, args, { cwd: directory, env: { ...env, ...more }, encoding: 'utf8', timeout: scaled(60_000) })
const onPath = (name: string): string | undefined => {
  const found = run('sh', ['-c', `command -v ${name}`]).stdout.trim()
  return found === '' ? undefined : found
}

const nvim = existsSync(join(others, 'editors/bin/nvim')) ? join(others, 'editors/bin/nvim') : undefined
const vsce = existsSync(join(others, 'vsce/node_modules/.bin/vsce')) ? join(others, 'vsce/node_modules/.bin/vsce') : undefined
const hx = onPath('hx')
const vim = onPath('vim')
const SKIP = '(PLUMB_OTHERS: scripts/install-others)'

t.equal(spawnSync(resolve('scripts/install'), [at('prefix')], { encoding: 'utf8' }).stderr, '')
writeFileSync(at('wrong.plumb'), 'let main : !int -> !int = nope\n')

t.test('Neovim, with one line of its configuration', { skip: nvim ? false : `Neovim 0.11 is not here ${SKIP}` }, async (t) => {
  const script = `vim.cmd('filetype plugin on | syntax on')
vim.lsp.enable('plumb')
vim.cmd('edit wrong.plumb')
vim.wait(${scaled(30_000)}, function() return #vim.diagnostic.get(0) > 0 end, 20)
for _, d in ipairs(vim.diagnostic.get(0)) do io.write(d.lnum, ':', d.col, ' ', d.message, '\\n') end
io.write(vim.bo.filetype, ' ', vim.fn.synIDattr(vim.fn.synID(1, 1, 1), 'name'), '\\n')
vim.cmd('qa!')
`
  writeFileSync(at('try.lua'), script)
  const { stdout } = run(nvim ?? '', ['--headless', '-u', 'NONE', '-i', 'NONE', '-l', 'try.lua'])
  t.equal(stdout, "0:26 no binding is named 'nope'\nplumb plumbDeclaration\n")
})

t.test('Vim colours a spec, and :make jumps to the mistake', { skip: vim ? false : 'vim is not installed' }, async (t) => {
  writeFileSync(
    at('try.vim'),
    `set rtp^=${at('prefix/share/vim/vimfiles')}
filetype plugin on
edit wrong.plumb
silent make
call writefile(map(getqflist(), {_, q -> q.lnum .. ':' .. q.col .. ' ' .. q.text}) + [&filetype], 'made')
q!
`,
  )
  run(vim ?? '', ['-es', '-u', 'NONE', '-i', 'NONE', '-S', 'try.vim'])
  t.match(run('cat', ['made']).stdout, /^1:27 no binding is named 'nope'\nplumb\n$/)
})

t.test('Helix, with the lines of its configuration', { skip: hx ? false : 'Helix is not installed' }, async (t) => {
  mkdirSync(at('.config/helix'), { recursive: true })
  run('cp', [at('prefix/share/plumb/helix/languages.toml'), at('.config/helix/languages.toml')])
  const terminal = new Pty({ command: [hx ?? '', 'wrong.plumb:1:28'], cwd: directory, env, columns: 120 })
  t.teardown(() => terminal.close())
  await terminal.shows("no binding is named 'nope'")
  t.pass('the mistake is on the screen')
})

t.test('the extension is packed without a network', { skip: vsce ? false : `vsce is not here ${SKIP}` }, async (t) => {
  const packed = spawnSync(vsce ?? '', ['package', '--no-dependencies', '-o', at('a.vsix')], {
    cwd: at('prefix/share/plumb/vscode'),
    env: { ...env, https_proxy: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9' },
    encoding: 'utf8',
    timeout: scaled(60_000),
  })
  t.match(packed, { status: 0 }, packed.stderr)
  const listed = run('python3', ['-m', 'zipfile', '-l', at('a.vsix')]).stdout
  for (const file of ['extension.cjs', 'plumb.tmLanguage.json', 'package.json', 'THIRD-PARTY-NOTICES'])
    t.match(listed, new RegExp(`extension/${file}`))
})

t.test('all of it is taken away again', async (t) => {
  t.equal(spawnSync(resolve('scripts/install'), ['--uninstall', at('prefix')], { encoding: 'utf8' }).stderr, '')
  t.equal(run('find', [at('prefix'), '-type', 'f', '-o', '-type', 'l']).stdout, '')
})
