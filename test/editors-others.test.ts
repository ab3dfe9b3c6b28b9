// long
// Editors of others, started without a person in an empty home, with the lines that plumb-editors(7) shows: a mistake in a spec is seen (Neovim,
// Helix, Vim), and the extension is packed (vsce).

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import t from 'tap'
import { scaled } from '../packages/wire/test/patience.js'
import { literalBlocks } from './man-page.js'
import { Pty } from './pty.js'

const others = process.env.PLUMB_OTHERS ?? ''
const directory = mkdtempSync(join(tmpdir(), 'plumb-editors-'))
t.teardown(() => rmSync(directory, { recursive: true, force: true }))
const at = (...path: string[]): string => join(directory, ...path)

const env = { PATH: `${at('.local/bin')}:${process.env.PATH}`, HOME: directory, XDG_STATE_HOME: at('state'), LANG: 'C.UTF-8' }
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

t.equal(spawnSync(resolve('scripts/install'), [at('.local')], { encoding: 'utf8' }).stderr, '')
writeFileSync(at('wrong.plumb'), 'let main : !int -> !int = nope\n')

const page = readFileSync('man/plumb-editors.7', 'utf8')
const lay = (path: string, text: string): void => {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), text)
}
// The commands of a page, without its prompts.
const commandsOf = (text: string): string => text.replace(/^\$ /gm, '')

const noNeovim = nvim ? false : `Neovim 0.11 is not here ${SKIP}`
const inNeovim = (init: string): string => {
  lay('.config/nvim/init.lua', init)
  const script = `vim.wait(${scaled(30_000)}, function() return #vim.diagnostic.get(0) > 0 end, 20)
for _, d in ipairs(vim.diagnostic.get(0)) do io.write(d.lnum, ':', d.col, ' ', d.message, '\\n') end
io.write(vim.bo.filetype, ' ', vim.fn.synIDattr(vim.fn.synID(1, 1, 1), 'name'), '\\n')
for _, lens in ipairs(vim.lsp.buf_request_sync(0, 'textDocument/codeLens', { textDocument = { uri = vim.uri_from_bufnr(0) } }, ${scaled(30_000)})[1].result) do
  io.write(lens.command.title, '\\n')
end
vim.cmd('qa!')
`
  writeFileSync(at('try.lua'), script)
  return run(nvim ?? '', ['--headless', '-i', 'NONE', 'wrong.plumb', '-c', 'luafile try.lua']).stdout
}
const SEEN = "0:26 no binding is named 'nope'\nplumb plumbDeclaration\nrun\nrender\n"

t.test('Neovim, with one line of its configuration', { skip: noNeovim }, async (t) => {
  const line = literalBlocks(page).find((text) => text.includes('vim.lsp.enable'))
  t.equal(inNeovim(line ?? ''), SEEN)
})

t.test('Neovim, with the lines for versions before 0.11', { skip: noNeovim }, async (t) => {
  const lines = literalBlocks(page, 'Neovim').find((text) => text.includes('vim.lsp.start'))
  t.equal(inNeovim(lines ?? ''), SEEN)
})

t.test('Vim colours a spec, and :make jumps to the mistake', { skip: vim ? false : 'vim is not installed' }, async (t) => {
  lay('.vimrc', literalBlocks(page, 'Vim').join(''))
  writeFileSync(
    at('try.vim'),
    `edit wrong.plumb
silent make
call writefile(map(getqflist(), {_, q -> q.lnum .. ':' .. q.col .. ' ' .. q.text}) + [&filetype, synIDattr(synID(1, 1, 1), 'name')], 'made')
q!
`,
  )
  run(vim ?? '', ['-es', '-u', at('.vimrc'), '-i', 'NONE', '-S', 'try.vim'])
  t.equal(run('cat', ['made']).stdout, "1:27 no binding is named 'nope'\nplumb\nplumbDeclaration\n")
})

// Debian has it from version 13 on, and no registry has a program of it.
t.test('Helix, with the lines of its configuration', { skip: hx ? false : 'Helix is not installed (package hx)' }, async (t) => {
  const [configuration = ''] = literalBlocks(page, 'Helix')
  t.match(run('sh', ['-ec', commandsOf(configuration)]), { status: 0, stderr: '' })
  const terminal = new Pty({ command: [hx ?? '', 'wrong.plumb:1:28'], cwd: directory, env, columns: 120 })
  t.teardown(() => terminal.close())
  await terminal.shows("no binding is named 'nope'")
  t.pass('the mistake is on the screen')
})

t.test('the extension is packed without a network', { skip: vsce ? false : `vsce is not here ${SKIP}` }, async (t) => {
  const packed = spawnSync(vsce ?? '', ['package', '--no-dependencies', '-o', at('a.vsix')], {
    cwd: at('.local/share/plumb/vscode'),
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
  t.equal(spawnSync(resolve('scripts/install'), ['--uninstall', at('.local')], { encoding: 'utf8' }).stderr, '')
  t.equal(run('find', [at('.local'), '-type', 'f', '-o', '-type', 'l', '-o', '-name', 'plumb*']).stdout, '')
})
