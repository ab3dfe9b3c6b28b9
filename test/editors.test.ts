// What editors are given: the extension of VS Code in a stand-in for its API, the words of Vim's colours, and a page for each key.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import Module from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { agentKeys } from '../packages/lang/src/check/agent.js'
import { toolKeys } from '../packages/lang/src/check/tool.js'
import { RESERVED } from '../packages/lang/src/parse/cursor.js'
import { MORPHISMS } from '../packages/lang/src/parse/morphism.js'
import { PRIMITIVES } from '../packages/lang/src/parse/type.js'
import { WORDS } from '../packages/lang/src/service/word-at.js'

// Tests run in the root.
const PLUMB = resolve('packages/plumb/bin/plumb')

const newDirectory = (t: Test): string => {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-editors-'))
  t.teardown(() => rmSync(directory, { recursive: true }))
  return directory
}

type Command = (uri?: unknown) => Promise<unknown>

/** So much of the API as the extension uses in a workspace that is not trusted, in which no language server is started. */
const standIn = (said: string[]) => {
  const commands = new Map<string, Command>()
  const tasks: { execution: { process: string; args: string[] } }[] = []
  const panels: { webview: { html: string } }[] = []
  const disposable = { dispose: () => {} }
  const register = () => disposable
  const api: Record<string, unknown> = {
    version: '1.91.0',
    ViewColumn: { Beside: -2 },
    ColorThemeKind: { Dark: 2, HighContrast: 3 },
    TaskScope: { Workspace: 2 },
    ProcessExecution: class {
      constructor(
        readonly process: string,
        readonly args: string[],
      ) {}
    },
    Task: class {
      constructor(
        _definition: unknown,
        _scope: unknown,
        _name: string,
        _source: string,
        readonly execution: unknown,
      ) {}
    },
    Uri: { parse: (text: string) => ({ text }) },
    commands: {
      registerCommand: (name: string, run: Command) => {
        commands.set(name, run)
        return disposable
      },
    },
    tasks: { executeTask: (task: (typeof tasks)[number]) => tasks.push(task) },
    window: {
      activeColorTheme: { kind: 1 },
      showInformationMessage: (text: string) => said.push(text),
      showOpenDialog: async () => [{ fsPath: '/a record' }],
      createWebviewPanel: () => {
        const panel = { webview: { html: '' }, onDidDispose: register, reveal: () => {} }
        panels.push(panel)
        return panel
      },
    },
    workspace: {
      isTrusted: false,
      getConfiguration: () => ({ get: (key: string, other: unknown) => (key === 'path' ? PLUMB : other) }),
      onDidSaveTextDocument: register,
      onDidGrantWorkspaceTrust: register,
      onDidChangeConfiguration: register,
      openTextDocument: async ({ text }: { text: string }) => documentOf(fileURLToPath(text)),
    },
  }
  // The client of the protocol derives classes from many more, and makes none of them here.
  const others = new Map<string | symbol, unknown>()
  const vscode = new Proxy(api, {
    get: (known, name) => {
      if (Object.hasOwn(known, name)) return known[name as string]
      if (!others.has(name)) others.set(name, class {})
      return others.get(name)
    },
  })
  return { vscode, commands, tasks, panels }
}

const documentOf = (path: string) => ({
  languageId: 'plumb',
  fileName: path,
  isDirty: false,
  uri: { scheme: 'file', fsPath: path, toString: () => `file://${path}` },
})

t.test('the extension of VS Code runs and draws a spec, without a shell', async (t) => {
  const directory = newDirectory(t)
  execFileSync(process.execPath, ['scripts/editors/stage-vscode.mjs', directory])
  const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
  t.equal(
    readFileSync(join(directory, 'plumb.tmLanguage.json'), 'utf8'),
    readFileSync('packages/lang/grammar/plumb.tmLanguage.json', 'utf8'),
  )
  t.match(readFileSync(join(directory, 'THIRD-PARTY-NOTICES'), 'utf8'), 'vscode-languageclient 11')
  const said: string[] = []
  const { vscode, commands, tasks, panels } = standIn(said)
  const load = (Module as unknown as { _load: (...args: unknown[]) => unknown })._load
  t.intercept(Module as unknown as { _load: unknown }, '_load', {
    value: (request: string, ...rest: unknown[]) => (request === 'vscode' ? vscode : load(request, ...rest)),
  })
  const extension = require(join(directory, manifest.main))
  await extension.activate({ subscriptions: [] })
  const declared = (manifest.contributes.commands as { command: string }[]).map(({ command }) => command)
  t.strictSame([...commands.keys()].sort(), declared.sort(), 'every command of the manifest is there')

  const spec = join(directory, 'a spec; id.plumb')
  writeFileSync(spec, 'let a : !int -> !int = id\nlet main : !int -> !int = a\n')
  const uri = pathToFileURL(spec).href
  await commands.get('plumb.run')?.(uri)
  t.strictSame(
    tasks.map(({ execution: { process, args } }) => [process, args]),
    [[PLUMB, ['-R', spec]]],
  )
  tasks.length = 0
  for (const name of ['plumb.chat', 'plumb.flows', 'plumb.view']) await commands.get(name)?.(uri)
  t.strictSame(
    tasks.map(({ execution: { args } }) => args),
    [
      ['chat', spec],
      ['check', '--flows', spec],
      ['view', '--serve', '/a record'],
    ],
  )
  const snippets = Object.values(JSON.parse(readFileSync(join(directory, 'snippets.json'), 'utf8'))) as { prefix: string }[]
  t.ok(snippets.every(({ prefix }) => [...WORDS, 'barrier', 'test'].includes(prefix)))
  await commands.get('plumb.run')?.()
  t.strictSame(said, ['Open a .plumb file first.'])
  const plain = join(directory, 'a.plumb')
  writeFileSync(plain, 'let main : !int -> !int = id\n')
  await commands.get('plumb.render')?.(`file://${plain}`)
  t.match(panels[0]?.webview.html, /default-src 'none'.*<img alt="the wiring" src="data:image\/svg\+xml;base64,/s)
  writeFileSync(plain, 'let main : !int -> !int = nope<b>\n')
  await commands.get('plumb.render')?.(`file://${plain}`)
  t.equal(panels.length, 1, 'in the panel that is open')
  t.match(panels[0]?.webview.html, /<pre>.*expected ';'.*nope&#60;b/s)
  t.notMatch(panels[0]?.webview.html, /nope<b>/)
})

t.test("Vim's colours know every word of the language", async (t) => {
  const syntax = readFileSync('scripts/editors/vim/syntax/plumb.vim', 'utf8')
  const words = new Set([...syntax.matchAll(/\w+/g)].map(([word]) => word))
  const all = [...RESERVED, ...MORPHISMS, ...PRIMITIVES, 'param', 'test', 'untrusted', 'secret']
  t.strictSame(
    all.filter((word) => !words.has(word)),
    [],
  )
})

t.test('every key of agents and tools, and every morphism, is explained by its page', async (t) => {
  const { itemsOf } = (await import(resolve('scripts/build/page-items.mjs'))) as { itemsOf: (page: string) => Record<string, string> }
  const rows: [string, Iterable<string>][] = [
    ['plumb-agent.1', Object.keys(agentKeys())],
    ['plumb-tools.7', Object.keys(toolKeys())],
    ['plumbing.5', [...MORPHISMS, ...WORDS]],
  ]
  for (const [page, words] of rows) {
    const items = itemsOf(readFileSync(`man/${page}`, 'utf8'))
    t.strictSame(
      [...words].filter((word) => !items[word]),
      [],
      page,
    )
    t.notMatch(Object.values(items).join('\n'), /\\\(|\\&|^\.[A-Z]/m, `${page}: no macro is left`)
  }
})
