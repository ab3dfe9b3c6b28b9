// The language server as an editor has it: a child process, spoken to over its stdin and stdout with the protocol's own library.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import {
  type CodeLens,
  type CompletionItem,
  createProtocolConnection,
  type Diagnostic,
  type DocumentSymbol,
  type Hover,
  type InitializeResult,
  type Location,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
  type SemanticTokens,
  type SymbolInformation,
  type TextEdit,
  type WorkspaceEdit,
} from 'vscode-languageserver-protocol/node'
import { runs } from '../../wire/test/property.js'

// Tests run in the root.
const PLUMB = 'packages/plumb/bin/plumb'

const newDirectory = (t: Test): string => {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-lsp-'))
  t.teardown(() => rmSync(directory, { recursive: true }))
  return directory
}

interface Server {
  readonly child: ChildProcess
  /** The exit status, or what it said on stderr. */
  readonly exited: Promise<number | null | string>
}

const start = (): Server => {
  const child = spawn(PLUMB, ['lsp', '--stdio'], { stdio: 'pipe' })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  return { child, exited: new Promise((resolve) => child.on('close', (status) => resolve(said || status))) }
}

/** A client, after the handshake. `diagnosed` resolves with what is pushed next for a file. */
const connect = async (
  { child }: Server,
  options: { processId?: number | null; capabilities?: object; initializationOptions?: object; workspaceFolders?: object } = {},
) => {
  if (!child.stdout || !child.stdin) throw new Error('no pipes')
  const connection = createProtocolConnection(child.stdout, child.stdin)
  const pushed: PublishDiagnosticsParams[] = []
  const waiting: { uri: string; resolve: (list: Diagnostic[]) => void }[] = []
  const deliver = () => {
    for (const [i, { uri, resolve }] of waiting.entries()) {
      const at = pushed.findIndex((p) => p.uri === uri)
      if (at < 0) continue
      waiting.splice(i, 1)
      resolve(pushed.splice(at, 1)[0]?.diagnostics ?? [])
      return deliver()
    }
  }
  connection.onNotification('textDocument/publishDiagnostics', (params: PublishDiagnosticsParams) => {
    pushed.push(params)
    deliver()
  })
  connection.listen()
  const { processId = process.pid, capabilities = {}, ...others } = options
  const initialized: InitializeResult = await connection.sendRequest('initialize', { processId, rootUri: null, capabilities, ...others })
  await connection.sendNotification('initialized', {})
  const diagnosed = (uri: string) =>
    new Promise<Diagnostic[]>((resolve) => {
      waiting.push({ uri, resolve })
      deliver()
    })
  return { connection, initialized, diagnosed, pushed }
}

const open = (connection: ProtocolConnection, uri: string, text: string) =>
  connection.sendNotification('textDocument/didOpen', { textDocument: { uri, languageId: 'plumb', version: 1, text } })

const change = (connection: ProtocolConnection, uri: string, text: string, version = 2) =>
  connection.sendNotification('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] })

const stop = async ({ exited }: Server, connection: ProtocolConnection) => {
  await connection.sendRequest('shutdown')
  await connection.sendNotification('exit')
  return exited
}

/** The place of the bar in a text, and the text without it. */
const place = (marked: string) => {
  const [before = '', after = ''] = marked.split('‸')
  const lines = before.split(/\r\n|\n/)
  return { text: before + after, position: { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 } }
}

/** The text between the ends of a range. */
const within = (text: string, { start: from, end: to }: Diagnostic['range']): string => {
  const lines = text.split(/\r\n|\n/)
  return from.line === to.line ? (lines[from.line] ?? '').slice(from.character, to.character) : `${from.line}..${to.line}`
}

t.test('where data may go is reported with each step of the way, and the agent that has all three at once is warned of', async (t) => {
  const uri = pathToFileURL(join(newDirectory(t), 'helper.plumb')).href
  const server = start()
  const { connection, diagnosed } = await connect(server)
  const agent = 'let bot : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [page, list, read] }\n'
  const tools =
    'let list : { arguments?: [string] } -> string = tool { command: "ls" }\nlet read : { path: string } -> json = tool { builtin: "read_file" }\n'
  const page = 'let page : { url: string } -> string = tool { builtin: "webpage_to_markdown" }\n'
  await open(connection, uri, `${page}${tools}${agent}let main : !string -> !string = bot\n`)
  t.match(await diagnosed(uri), [{ severity: 2, code: 'untrusted_flow', message: /agent 'bot' reads what strangers may have written/ }])
  await change(
    connection,
    uri,
    `${page.replace('{ url', 'untrusted { url').replace('-> string', '-> untrusted string')}${tools}${agent}let main : !string -> !untrusted string = bot\n`,
  )
  const [found, ...others] = await diagnosed(uri)
  t.strictSame(others, [])
  t.match(found, { severity: 1, code: 'untrusted_flow', message: /^untrusted data reaches a tool that runs commands\ntake 'list' away/ })
  t.strictSame(
    found?.relatedInformation?.map(({ message, location }) => [message, location.uri === uri, location.range.start.line]),
    [
      ["from 'page'", true, 0],
      ["read by agent 'bot'", true, 3],
      ["which may call 'list'", true, 1],
    ],
  )
  server.child.kill()
  await server.exited
})

t.test('symbols of the workspace: of open files as they are written, and of the other specs in its folders', async (t) => {
  const directory = newDirectory(t)
  const uriOf = (name: string) => pathToFileURL(join(directory, name)).href
  mkdirSync(join(directory, 'a/b/.git'), { recursive: true })
  mkdirSync(join(directory, 'node_modules'))
  mkdirSync(join(directory, 'other'))
  const spec = (name: string) =>
    `type Find${name} = { inFind: int }\nlet find${name} : !int -> !int = id\nlet one : int -> int = id\nlet half = `
  const files = ['near.plumb', 'a/b/far.plumb', 'a/b/.git/hidden.plumb', 'node_modules/theirs.plumb', 'a/no-spec.txt', 'other/more.plumb']
  for (const [i, name] of files.entries()) writeFileSync(join(directory, name), spec(String(i)))
  symlinkSync(directory, join(directory, 'a/round'))
  const server = start()
  const folder = { workspaceFolders: [{ uri: uriOf(''), name: 'all' }] }
  const { connection, initialized } = await connect(server, folder)
  t.match(initialized.capabilities.workspace, { workspaceFolders: { supported: true } })
  const find = async (query: string) => {
    const found: SymbolInformation[] = await connection.sendRequest('workspace/symbol', { query })
    return found.map(({ name, kind, location: { uri, range } }) => `${uri.slice(uriOf('').length + 1)} ${name} ${kind} ${range.start.line}`)
  }
  t.strictSame(await find('find0'), ['near.plumb Find0 5 0', 'near.plumb find0 12 1'])
  t.strictSame(await find('find'), [
    ...['near.plumb Find0 5 0', 'near.plumb inFind 8 0', 'near.plumb find0 12 1'],
    ...['other/more.plumb Find5 5 0', 'other/more.plumb inFind 8 0', 'other/more.plumb find5 12 1'],
    ...['a/b/far.plumb Find1 5 0', 'a/b/far.plumb inFind 8 0', 'a/b/far.plumb find1 12 1'],
  ])
  await open(connection, uriOf('near.plumb'), 'let findOpen : !int -> !int = id\n')
  t.strictSame(await find('find0'), [])
  t.strictSame(await find('findopen'), ['near.plumb findOpen 12 0'])
  writeFileSync(join(directory, 'a/b/far.plumb'), 'let findChanged : int -> int = id\n')
  t.strictSame(await find('find1'), [])
  t.strictSame(await find('findch'), ['a/b/far.plumb findChanged 6 0'])
  const event = { removed: folder.workspaceFolders, added: [{ uri: uriOf('other'), name: 'other' }, { uri: 'untitled:x' }, 7] }
  await connection.sendNotification('workspace/didChangeWorkspaceFolders', { event })
  t.strictSame(await find('findch'), [])
  t.strictSame(await find('find5'), ['other/more.plumb Find5 5 0', 'other/more.plumb find5 12 1'])
  t.equal(await stop(server, connection), 0)
})

t.test('a session', async (t) => {
  const directory = newDirectory(t)
  writeFileSync(join(directory, 'words.plumb'), 'let shout : !string -> !string = map(upper(value))\n')
  const uriOf = (name: string) => pathToFileURL(join(directory, name)).href
  const [main, words] = [uriOf('main.plumb'), uriOf('words.plumb')]
  const server = start()
  const { connection, initialized, diagnosed, pushed } = await connect(server)
  t.match(initialized, { serverInfo: { name: 'plumb' }, capabilities: { hoverProvider: true, textDocumentSync: { change: 1 } } })

  // Columns count UTF-16 units, lines may end in CRLF.
  const broken =
    'use words\r\ntype Review = { score: int }\r\nlet bot : !string -> !Review = agent { prompt: "🙂", modle: "x" }\r\nlet main : !string -> !string = bot ; map(text(scor)) ; Words.shoot\r\n'
  await open(connection, main, broken)
  const errors = await diagnosed(main)
  t.strictSame(
    errors.map((d) => [d.severity, d.code, within(broken, d.range), String(d.message).split('\n')[1]]),
    [
      [1, 'unknown_option', 'modle', "did you mean 'model'?"],
      [1, 'unknown_field', 'scor', "did you mean 'score'?"],
      [1, 'unknown_name', 'shoot', "did you mean 'shout'?"],
    ],
  )
  const actions: { title: string; edit: WorkspaceEdit }[] = await connection.sendRequest('textDocument/codeAction', {
    textDocument: { uri: main },
    range: errors[2]?.range,
    context: { diagnostics: [] },
  })
  t.match(actions, [{ title: "change to 'shout'", edit: { changes: { [main]: [{ newText: 'shout' }] } } }])

  // Fixed, with a warning left; cleared when that is fixed too.
  const spec = broken.replace('modle: "x"', 'provider: "eliza"').replace('scor)', 'score)').replace('shoot', 'shout')
  await change(connection, main, `${spec}let unused : !int -> !int = id\n`)
  t.match(await diagnosed(main), [{ severity: 2, code: 'unused_binding', tags: [1] }])
  await change(connection, main, spec, 3)
  t.strictSame(await diagnosed(main), [])

  const at = (marked: string) => {
    const { text, position } = place(marked)
    t.equal(text, spec, 'the text is the one that is open')
    return { textDocument: { uri: main }, position }
  }
  const hover: Hover = await connection.sendRequest('textDocument/hover', at(spec.replace('= bot', '= b‸ot')))
  t.match(hover, { contents: { kind: 'markdown', value: '```plumb\nlet bot : !string -> !Review = agent { … }\n```' } })
  const inExpression: Hover = await connection.sendRequest('textDocument/hover', at(spec.replace('(score', '(sc‸ore')))
  t.match(inExpression, {
    contents: { value: /score : int/ },
    range: { start: { line: 3, character: 47 }, end: { line: 3, character: 52 } },
  })
  const explained: [string, RegExp][] = [
    ['agent', /^A conversation with a language model.*plumbing\(5\)\*$/s],
    ['map', /^```plumb\nmap : !Review -> !string\n```\n\ncomputes/],
  ]
  for (const [word, text] of explained)
    t.match(await connection.sendRequest('textDocument/hover', at(spec.replace(word, `‸${word}`))), { contents: { value: text } })
  const definition: Location = await connection.sendRequest('textDocument/definition', at(spec.replace('.shout', '.sh‸out')))
  t.strictSame(definition, { uri: words, range: { start: { line: 0, character: 4 }, end: { line: 0, character: 9 } } })

  const places: Location[] = await connection.sendRequest('textDocument/references', at(spec.replace('.shout', '.sh‸out')))
  t.strictSame(
    places.map(({ uri }) => uri),
    [words, main],
  )
  const uses = { ...at(spec.replace('.shout', '.sh‸out')), context: { includeDeclaration: false } }
  t.match(await connection.sendRequest('textDocument/references', uses), [{ uri: main }])
  t.match(await connection.sendRequest('textDocument/documentHighlight', uses), [{ range: { start: { character: /\d/ } } }])
  const document = { textDocument: { uri: main } }
  const symbols: DocumentSymbol[] = await connection.sendRequest('textDocument/documentSymbol', document)
  t.strictSame(
    symbols.map(({ name, kind }) => [name, kind]),
    [
      ['Words', 2],
      ['Review', 5],
      ['bot', 12],
      ['main', 12],
    ],
  )
  t.match(await connection.sendRequest('workspace/symbol', { query: 'RVW' }), [{ name: 'Review', location: { uri: main } }])
  t.type(await connection.sendRequest('textDocument/foldingRange', document), Array)
  const whole = { ...document, range: { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } } }
  t.strictSame(await connection.sendRequest('textDocument/inlayHint', whole), [])
  const { data }: SemanticTokens = await connection.sendRequest('textDocument/semanticTokens/full', document)
  t.ok(data.length > 0 && data.length % 5 === 0, 'five numbers a name')
  t.strictSame(data.slice(0, 5), [0, 4, 5, 0, 0], 'the module')
  t.equal(await connection.sendRequest('textDocument/signatureHelp', at(spec.replace('agent', '‸agent'))), null)
  t.match(await connection.sendRequest('textDocument/signatureHelp', at(spec.replace('map(', 'map(‸'))), {
    signatures: [
      { label: 'map(e)', parameters: [{ label: [4, 5] }], documentation: { value: /^computes/ } },
      { label: 'map(f, parallel: n)' },
    ],
    activeParameter: 0,
  })

  // An unsaved buffer stands in for the file of its name, and its mistakes are reported where they are.
  const library = '\nlet shout : !string -> !int = map(length(value))\nlet main : !int -> !int = id ; nothing\n'
  await open(connection, words, library)
  const inLibrary = await diagnosed(words)
  t.match(inLibrary, [{ code: 'unknown_name', range: { start: { line: 2, character: 31 } } }])
  t.match(await diagnosed(main), [{ code: 'type_mismatch' }])
  const moved: Location = await connection.sendRequest('textDocument/definition', at(spec.replace('.shout', '.sh‸out')))
  t.match(moved, { uri: words, range: { start: { line: 1, character: 4 } } })
  const renamed: WorkspaceEdit = await connection.sendRequest('textDocument/rename', {
    ...at(spec.replace('.shout', '.sh‸out')),
    newName: 'count',
  })
  t.strictSame(Object.fromEntries(Object.entries(renamed.changes ?? {}).map(([uri, edits]) => [uri, edits.map((e) => e.newText)])), {
    [main]: ['count'],
    [words]: ['count'],
  })
  await t.rejects(
    connection.sendRequest('textDocument/rename', { ...at(spec.replace('.shout', '.sh‸out')), newName: 'main' }),
    /already means something/,
  )
  await t.rejects(
    connection.sendRequest('textDocument/prepareRename', at(spec.replace('(score', '(sc‸ore'))),
    /nothing that can be renamed/,
  )
  t.match(await connection.sendRequest('textDocument/prepareRename', at(spec.replace('!Review', '!Rev‸iew'))), {
    start: { line: 2, character: 22 },
  })
  await connection.sendNotification('textDocument/didClose', { textDocument: { uri: words } })
  t.strictSame(await diagnosed(words), [])
  t.strictSame(await diagnosed(main), [])

  // In the middle of writing.
  const writing = `${spec}let after : !Review -> !int = map(sc`
  await change(connection, main, writing, 4)
  const { position } = place(`${writing}‸`)
  const items: CompletionItem[] = await connection.sendRequest('textDocument/completion', { textDocument: { uri: main }, position })
  t.match(items[0], {
    label: 'score',
    detail: 'int',
    kind: 5,
    textEdit: { newText: 'score', range: { start: { line: 4, character: 34 }, end: position } },
  })
  t.match(await diagnosed(main), [{ code: 'syntax_error' }])
  t.equal(
    await connection.sendRequest('textDocument/formatting', { textDocument: { uri: main }, options: { tabSize: 2, insertSpaces: true } }),
    null,
  )

  const other = uriOf('other.plumb')
  await open(connection, other, 'let   main:!int->!int=map(  value+1 )\n')
  const edits: TextEdit[] = await connection.sendRequest('textDocument/formatting', { textDocument: { uri: other }, options: {} })
  t.match(edits, [
    { newText: 'let main : !int -> !int = map(value + 1)\n', range: { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } } },
  ])
  await change(connection, other, edits[0]?.newText ?? '')
  t.strictSame(await connection.sendRequest('textDocument/formatting', { textDocument: { uri: other }, options: {} }), [])

  // A document that is not a file yet; one that is not open.
  await open(connection, 'untitled:Untitled-1', 'let main : !int -> !int = nope ; id\n')
  t.match(await diagnosed('untitled:Untitled-1'), [{ code: 'unknown_name' }])
  t.equal(
    await connection.sendRequest('textDocument/hover', {
      textDocument: { uri: uriOf('nobody.plumb') },
      position: { line: 9, character: 9 },
    }),
    null,
  )
  t.strictSame(pushed, [], 'nothing else was pushed')
  t.equal(await stop(server, connection), 0)
})

t.test('what is asked together with a change is answered before the change is checked, and of changes in a row the last is', async (t) => {
  const server = start()
  const { stdin, stdout } = server.child
  if (!stdin || !stdout) throw new Error('no pipes')
  const uri = 'untitled:burst'
  const frame = (message: object) => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  }
  const change = (version: number, text: string) =>
    frame({ method: 'textDocument/didChange', params: { textDocument: { uri, version }, contentChanges: [{ text }] } })
  const text = 'let f : !string -> !string = map(up'
  stdin.write(frame({ id: 1, method: 'initialize', params: { processId: process.pid, rootUri: null, capabilities: {} } }))
  stdin.write(
    frame({ method: 'textDocument/didOpen', params: { textDocument: { uri, languageId: 'plumb', version: 1, text: '' } } }) +
      change(2, text.slice(0, -1)) +
      change(3, text) +
      frame({
        id: 2,
        method: 'textDocument/completion',
        params: { textDocument: { uri }, position: { line: 0, character: text.length } },
      }),
  )
  let said = ''
  const last = await new Promise<string>((resolve) =>
    stdout.setEncoding('utf8').on('data', (piece) => {
      said += piece
      if (/publishDiagnostics.*"version":3/s.test(said)) resolve(said)
    }),
  )
  t.ok(last.includes('"label":"upper"'), 'the words that fit')
  t.ok(last.indexOf('"id":2') < last.indexOf('publishDiagnostics'), last)
  t.equal(last.split('publishDiagnostics').length - 1, 1, 'one check')
  stdin.end()
  await server.exited
})

t.test('how it ends', async (t) => {
  const withoutShutdown = start()
  const first = await connect(withoutShutdown)
  await first.connection.sendNotification('exit')
  t.equal(await withoutShutdown.exited, 1, 'exit without shutdown')

  const closed = start()
  await connect(closed)
  closed.child.stdin?.end()
  t.equal(await closed.exited, 1, 'stdin is closed')

  const afterShutdown = start()
  const third = await connect(afterShutdown)
  await third.connection.sendRequest('shutdown')
  await t.rejects(third.connection.sendRequest('textDocument/hover', {}), { code: -32600 })
  afterShutdown.child.stdin?.end()
  t.equal(await afterShutdown.exited, 0, 'stdin is closed after shutdown')

  // The editor, as far as the server knows.
  const parent = spawn('sleep', ['600'])
  const orphan = start()
  await connect(orphan, { processId: parent.pid ?? null })
  parent.kill('SIGKILL')
  t.equal(await orphan.exited, 1, 'the parent is gone')
  const mute = start()
  mute.child.stdout?.destroy()
  mute.child.stdin?.write(message({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { capabilities: {} } }))
  t.equal(await mute.exited, 1, 'its output is not read')
})

const message = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}

t.test('what it is asked before its time, wrongly, or in no language at all', async (t) => {
  const server = start()
  const { connection } = await connectEarly(server)
  await t.rejects(connection.sendRequest('textDocument/hover', {}), { code: -32002 })
  await connection.sendRequest('initialize', { processId: null, capabilities: {} })
  await t.rejects(connection.sendRequest('initialize', { capabilities: {} }), { code: -32600 })
  await t.rejects(connection.sendRequest('textDocument/implementation', {}), { code: -32601 })
  const uri = 'file:///a.plumb'
  await open(connection, uri, 'let main : !int -> !int = id\n')
  const methods = ['hover', 'definition', 'completion', 'prepareRename', 'rename', 'formatting', 'codeAction']
  const position = { line: 0, character: 5 }
  const bad: unknown[] = [
    {},
    { textDocument: null, position },
    { textDocument: { uri: 7 }, position },
    { textDocument: { uri: null }, position: { line: -1, character: 0.5 }, newName: 3, range: { start: {} } },
    [],
    [uri, position],
    [null],
  ]
  for (const method of methods) {
    for (const params of bad) {
      const failed = await connection.sendRequest(`textDocument/${method}`, params).then(
        () => undefined,
        (error) => error,
      )
      t.equal(failed?.code, -32602, `${method} ${JSON.stringify(params)}`)
    }
  }
  for (const method of [
    'textDocument/didOpen',
    'textDocument/didChange',
    'textDocument/didClose',
    'textDocument/didSave',
    'workspace/didChangeWatchedFiles',
    '$/cancelRequest',
    '$/nothing',
  ]) {
    for (const params of [
      {},
      { textDocument: {} },
      { textDocument: { uri: `${uri}.other`, version: 1 }, contentChanges: [{ range: 1, text: 2 }] },
      [1, 2],
    ]) {
      await connection.sendNotification(method, params)
    }
  }
  // Beyond the text is its end; the document is as it was.
  const far = { textDocument: { uri }, position: { line: 99, character: 99 } }
  t.equal(await connection.sendRequest('textDocument/hover', far), null)
  t.match(await connection.sendRequest('textDocument/hover', { textDocument: { uri }, position }), { contents: { value: /let main/ } })

  const anything = fc.asyncProperty(fc.constantFrom(...methods, 'inlayHint'), paramsLike(uri), (method, params) =>
    connection.sendRequest(`textDocument/${method}`, params).then(
      () => true,
      // The parameters, the method, or what was asked for.
      ({ code }) => [-32602, -32601, -32803].includes(code),
    ),
  )
  await fc.assert(anything, { numRuns: runs(400) })
  for (const raw of [
    message('{'),
    message(''),
    message('null'),
    message('[]'),
    message('7'),
    message({ id: null, method: 'shutdown', jsonrpc: '2.0' }),
  ]) {
    server.child.stdin?.write(raw)
    t.match(
      await connection.sendRequest('textDocument/hover', { textDocument: { uri }, position }),
      { contents: { value: /let main/ } },
      JSON.stringify(raw),
    )
  }
  // With frames that have no end it can do nothing more, but end.
  server.child.stdin?.end(
    [
      '\r\n\r\n',
      'Content-Length: x\r\n\r\n',
      'nothing\r\n\r\n',
      'Content-Length: -5\r\n\r\n{}',
      'Content-Length: 99999999999\r\n\r\n{}',
    ].join(''),
  )
  t.equal(await server.exited, 1)
})

t.test('what came before the end of the input is answered', async (t) => {
  const { child, exited } = start()
  let out = ''
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    out += text
  })
  const uri = 'file:///a.plumb'
  const messages = [
    { id: 1, method: 'initialize', params: { capabilities: {} } },
    { method: 'textDocument/didOpen', params: { textDocument: { uri, version: 1, text: 'let main : !int -> !int = nope ; id\n' } } },
    { id: 2, method: 'textDocument/hover', params: { textDocument: { uri }, position: { line: 0, character: 5 } } },
  ]
  child.stdin?.end(messages.map((m) => message({ jsonrpc: '2.0', ...m })).join(''))
  t.equal(await exited, 1)
  t.match(out, /"id":2,"result":\{"contents"/)
})

// Parameters that are nearly what they should be.
const paramsLike = (uri: string) => {
  const odd = fc.oneof(fc.jsonValue(), fc.constant(undefined))
  const index = fc.oneof({ weight: 5, arbitrary: fc.nat(40) }, { weight: 1, arbitrary: odd })
  const position = fc.oneof({ weight: 5, arbitrary: fc.record({ line: index, character: index }) }, { weight: 1, arbitrary: odd })
  const textDocument = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom({ uri }, { uri: `${uri}.other` }, { uri: '' }, { uri: 'file:' }) },
    { weight: 1, arbitrary: odd },
  )
  const newName = fc.oneof(fc.constantFrom('a', 'main', 'let', '', 'a b'), odd)
  return fc.record({ textDocument, position, range: fc.record({ start: position, end: position }), newName, options: odd, context: odd })
}

const connectEarly = async ({ child }: Server) => {
  if (!child.stdout || !child.stdin) throw new Error('no pipes')
  const connection = createProtocolConnection(child.stdout, child.stdin)
  connection.listen()
  return { connection }
}

t.test('files on the disk', async (t) => {
  const directory = newDirectory(t)
  const main = pathToFileURL(join(directory, 'main.plumb')).href
  const server = start()
  const registered: unknown[] = []
  const { connection, diagnosed } = await connect(server, {
    capabilities: { workspace: { didChangeWatchedFiles: { dynamicRegistration: true } } },
  })
  connection.onRequest('client/registerCapability', (params) => void registered.push(params))
  await open(connection, main, 'use later\nlet main : !int -> !int = Later.f\n')
  t.match(await diagnosed(main), [{ code: 'unknown_module' }])
  writeFileSync(join(directory, 'later.plumb'), 'let f : !int -> !int = id\n')
  await connection.sendNotification('workspace/didChangeWatchedFiles', {
    changes: [{ uri: pathToFileURL(join(directory, 'later.plumb')).href, type: 1 }],
  })
  t.strictSame(await diagnosed(main), [])
  t.match(registered, [{ registrations: [{ method: 'workspace/didChangeWatchedFiles' }] }])
  t.equal(await stop(server, connection), 0)
})

t.test('a key and a word of the language are explained by the pages', async (t) => {
  const uri = pathToFileURL(join(newDirectory(t), 'a.plumb')).href
  const server = start()
  const { connection } = await connect(server)
  const marked = [
    'let bot : !string -> !string = agent { provider: "eliza", max_‸retries: 2 }',
    'let wipe : string -> string = tool { command: "rm", appro‸val: "ask" }',
    'test "a" of main { gi‸ven: ["a"] }',
    'let main : !string -> !string = fil‸ter(value != "")',
    'let main : !string -> !int = map(len‸gth(value))',
    'let bot : !string -> !string = agent { script‸s: 2 }',
    'let list : string -> string = tool { mcp: { comm‸and: "a" }, name: "b" }',
  ]
  const said: (string | undefined)[] = []
  for (const [version, one] of marked.entries()) {
    const { text, position } = place(one)
    await (version === 0 ? open(connection, uri, text) : change(connection, uri, text, version + 1))
    const found: Hover | null = await connection.sendRequest('textDocument/hover', { textDocument: { uri }, position })
    said.push(found ? (found.contents as { value: string }).value.replace(/```(plumb)?\n?/g, '').replace(/\n+/g, ' | ') : undefined)
  }
  t.match(said, [
    'max_retries: a whole number from 0 | How often an answer that does not fit is asked for again; 3. | *plumb-agent(1)*',
    /^approval: one of "ask" \| With `"ask"` a person is asked before each call\. \| \*plumb-tools\(7\)\*$/,
    /^A list of messages, or .*\*plumb-test\(1\)\*$/,
    /^filter : !string -> !string \| drops where e is false \| \*plumbing\(5\)\*$/,
    /^length\(x\) : int \| /,
  ])
  t.strictSame(said.slice(5), [undefined, undefined], 'no key of that name, and a key inside of another')
  t.equal(await stop(server, connection), 0)
})

t.test('links above main for a client that carries them out, and repairs of what has no near name', async (t) => {
  const uri = pathToFileURL(join(newDirectory(t), 'a.plumb')).href
  const text = 'let a : !int -> !int = id\nlet main : !int -> !int = a\n'
  for (const commands of [undefined, 7, ['plumb.render', 'plumb.run', 'plumb.other']]) {
    const server = start()
    const { connection, diagnosed } = await connect(server, commands === undefined ? {} : { initializationOptions: { commands } })
    await open(connection, uri, text)
    const lenses: CodeLens[] = await connection.sendRequest('textDocument/codeLens', { textDocument: { uri } })
    const wanted = ['run', 'render'].map((title) => ({ title, command: `plumb.${title}`, arguments: [uri] }))
    t.strictSame(
      lenses.map(({ command }) => command),
      Array.isArray(commands) ? wanted : [],
    )
    t.ok(lenses.every(({ range }) => range.start.line === 1))
    const wrong = text.replace('-> !int = a', '=> !int = a')
    await change(connection, uri, wrong)
    const [first] = await diagnosed(uri)
    const actions: { title: string; edit: WorkspaceEdit }[] = await connection.sendRequest('textDocument/codeAction', {
      textDocument: { uri },
      range: first?.range,
      context: { diagnostics: [] },
    })
    t.match(actions, [{ title: "change '=>' to '->'", edit: { changes: { [uri]: [{ newText: '->' }] } } }])
    t.equal(await stop(server, connection), 0)
  }
})

t.test('tests: lenses above them, run and debugged by commands, with diagnostics until the text changes', async (t) => {
  const directory = newDirectory(t)
  writeFileSync(join(directory, 'parts.plumb'), 'let more : int -> int = map(value + 1)\n')
  const [uri, parts] = [pathToFileURL(join(directory, 'a.plumb')).href, pathToFileURL(join(directory, 'parts.plumb')).href]
  const server = start()
  const { connection, initialized, diagnosed } = await connect(server, {
    capabilities: { workspace: { codeLens: { refreshSupport: true } } },
  })
  t.match(initialized.capabilities, { codeLensProvider: {}, executeCommandProvider: { commands: ['plumb.runTest', 'plumb.debugTest'] } })
  const refreshed: unknown[] = []
  connection.onRequest('workspace/codeLens/refresh', () => {
    refreshed.push(1)
    return null
  })
  const logged: { message: string }[] = []
  connection.onNotification('window/logMessage', (log: { message: string }) => {
    logged.push(log)
  })
  const spec = `use parts
let bot : !string -> !int = agent { provider: "anthropic", model: "m" }
let main : !string -> !int = plumb(input, output) { input ; bot ; map(Parts.more) ; output }
test "right" of main { given: ["a"], models: { bot: 1 }, expect: [2] }
test "wrong" of main { given: ["a"], models: { bot: 1 },
  expect: [3] }
test "live" of main { given: ["a"], model: "live", expect: [3] }
`
  await open(connection, uri, spec)
  const lenses = async (): Promise<(string | number)[][]> => {
    const list: CodeLens[] = await connection.sendRequest('textDocument/codeLens', { textDocument: { uri } })
    return list.map(({ range, command }) => [range.start.line, command?.title ?? '', command?.command ?? '', ...(command?.arguments ?? [])])
  }
  t.strictSame((await lenses()).slice(0, 3), [
    [3, 'run', 'plumb.runTest', uri, 'right'],
    [3, 'debug', 'plumb.debugTest', uri, 'right'],
    [4, 'run', 'plumb.runTest', uri, 'wrong'],
  ])
  const execute = (command: string, ...words: unknown[]) =>
    connection.sendRequest('workspace/executeCommand', { command, arguments: words }) as Promise<{
      results: { name: string; status: string }[]
      text: string
    }>
  const shown = diagnosed(uri)
  t.match(await execute('plumb.runTest', uri, 'wrong'), { results: [{ name: 'wrong', status: 'failed' }], text: /expected 3, got 2/ })
  const [wrong] = await shown
  t.match(wrong, {
    severity: 1,
    source: 'plumb test',
    code: 'expect',
    message: /"wrong": message 1 is another\nexpected 3, got 2\n.*bot-map: 1/s,
  })
  t.equal(within(spec, wrong?.range as Diagnostic['range']), '[3] }')
  t.strictSame(
    (await lenses()).map(([, title]) => title),
    ['run', 'debug', 'run (failed)', 'debug', 'run', 'debug'],
  )
  t.equal(refreshed.length, 1)
  t.match(await execute('plumb.runTest', uri), {
    results: [
      { name: 'right', status: 'passed' },
      { name: 'wrong', status: 'failed' },
      { name: 'live', status: 'skipped' },
    ],
  })
  t.match(await execute('plumb.debugTest', uri, 'right'), { results: [{ status: 'passed' }], text: /== bot-map\n1\n/ })
  t.match(logged, [{ message: /What each wire of 'main' carried in "right":\n/ }])

  // What is open and not saved is what runs: here a module.
  const cleared = diagnosed(uri)
  await open(connection, parts, 'let more : int -> int = map(value + 2)\n')
  t.match(await execute('plumb.runTest', uri, 'wrong'), { results: [{ status: 'passed' }] })
  t.strictSame(await cleared, [], 'a test that passes again has no diagnostics')
  await execute('plumb.runTest', uri, 'right')
  const failing = await diagnosed(uri)
  t.match(failing, [{ message: /"right"/ }])
  await change(connection, uri, `${spec}\n`)
  t.strictSame(await diagnosed(uri), [], 'nor one whose text has changed')

  const refused = (...words: unknown[]) =>
    execute(...(words as [string])).then(
      () => 'no error',
      (error) => String(error.message),
    )
  t.match(await refused('plumb.runTest', uri, 'none'), /has no test "none"/)
  t.match(await refused('plumb.runTest', 7), /takes the URI of an open document/)
  t.match(await refused('plumb.other', uri), /there is no command 'plumb.other'/)
  await change(connection, uri, spec.replace('expect: [2]', 'expect: ["2"]'), 3)
  t.match(await diagnosed(uri), [{ code: 'type_mismatch' }])
  t.match(await refused('plumb.runTest', uri, 'right'), /the spec has errors/)
  t.equal((await lenses()).length, 6, 'lenses stay where they are')
  t.equal(await stop(server, connection), 0)
})
