// plumb lsp: the language server, on stdin and stdout. It starts no program and opens no connection, except for tests that a person runs
// and that name live tools.

import { TOKEN_KINDS } from '@plumb/lang/service'
import { endWith, fault, isRecord, openInput, openOutput, type Result, systemReason } from '@plumb/wire'
import type * as protocol from 'vscode-languageserver-protocol/node'
import { version as VERSION } from '../../package.json'
import { completions, definition, formatting, prepareRename, rename, signatureHelp } from './answers.js'
import { codeActions } from './code-actions.js'
import { Documents } from './documents.js'
import { hover } from './hover.js'
import { clientCommands, runLenses } from './lenses.js'
import { documentSymbols, foldingRanges, highlights, inlayHints, references, semanticTokens, workspaceSymbols } from './outline.js'
import { type DocumentParams, hasDocument, hasPosition, hasRange, isCommand, isDidChange, isDidOpen, isQuery, isRename } from './params.js'
import { Publisher, PublishTimer } from './publish.js'
import { DEBUG_TEST, EditorTests, RUN_TEST } from './tests.js'
import { Workspace } from './workspace.js'

const NO_COMMANDS: readonly string[] = []

/** Resolves to the exit status when the editor sends `exit`, closes our stdin, or has ended: 0 only after `shutdown`. */
export const lsp = async (): Promise<number> => new LanguageServer(await import('vscode-languageserver-protocol/node')).run()

class LanguageServer {
  readonly #protocol: typeof protocol
  readonly #input = openInput(0)
  readonly #output = openOutput(1)
  readonly #connection: protocol.ProtocolConnection
  readonly #documents = new Documents()
  readonly #workspace = new Workspace()
  readonly #tests = new EditorTests(this.#documents)
  readonly #publishing: PublishTimer
  #state: 'waiting' | 'open' | 'shut down' = 'waiting'
  #hasEnded = false
  #canRefreshLenses = false
  #commands = NO_COMMANDS
  #stopWatching = () => {}
  #resolve: (status: number) => void = () => {}

  constructor(library: typeof protocol) {
    this.#protocol = library
    const reader = new library.StreamMessageReader(this.#input)
    // Its timer would keep the process alive while the rest of a message never comes.
    reader.partialMessageTimeout = 0
    this.#connection = library.createProtocolConnection(reader, new library.StreamMessageWriter(this.#output))
    const publisher = new Publisher(
      this.#documents,
      (document) => this.#tests.diagnosticsOf(document),
      (params) => this.#notify('textDocument/publishDiagnostics', params),
    )
    this.#publishing = new PublishTimer(
      () => publisher.publish(),
      (error) => this.#notify('window/logMessage', { type: 1, message: `internal error: ${error}` }),
    )
  }

  run(): Promise<number> {
    return new Promise((resolve) => {
      this.#resolve = resolve
      this.#serveDocuments()
      this.#serveQuestions()
      this.#serveOutline()
      this.#serveTests()
      this.#serveSession()
      this.#connection.listen()
    })
  }

  #serveDocuments(): void {
    const [documents, workspace, tests] = [this.#documents, this.#workspace, this.#tests]
    this.#onNotification('textDocument/didOpen', isDidOpen, ({ textDocument: { uri, text, version } }) => documents.set(uri, text, version))
    this.#onNotification('textDocument/didChange', isDidChange, ({ textDocument: { uri, version }, contentChanges }) => {
      const last = contentChanges.at(-1)
      if (!last || !documents.get(uri)) return
      tests.forget(uri)
      documents.set(uri, last.text, version)
    })
    this.#onNotification('textDocument/didClose', hasDocument, ({ textDocument: { uri } }) => {
      tests.forget(uri)
      documents.close(uri)
    })
    this.#onNotification('textDocument/didSave', hasDocument, () => documents.forget())
    this.#onNotification('workspace/didChangeWorkspaceFolders', isRecord, ({ event }) => {
      if (!isRecord(event)) return
      workspace.remove(event.removed)
      workspace.add(event.added)
    })
    this.#onNotification('workspace/didChangeWatchedFiles', isRecord, () => documents.forget())
  }

  #serveQuestions(): void {
    const documents = this.#documents
    this.#onRequest('textDocument/hover', hasPosition, (params) => hover(documents, params))
    this.#onRequest('textDocument/definition', hasPosition, (params) => definition(documents, params))
    this.#onRequest('textDocument/completion', hasPosition, (params) => completions(documents, params))
    this.#onRequest('textDocument/prepareRename', hasPosition, (params) => this.#unwrap(prepareRename(documents, params)))
    this.#onRequest('textDocument/rename', isRename, (params) => this.#unwrap(rename(documents, params)))
    this.#onRequest('textDocument/formatting', hasDocument, (params: DocumentParams) => formatting(documents, params))
    this.#onRequest('textDocument/codeAction', hasRange, (params) => codeActions(documents, params))
    this.#onRequest('textDocument/signatureHelp', hasPosition, (params) => signatureHelp(documents, params))
  }

  #serveOutline(): void {
    const documents = this.#documents
    this.#onRequest('textDocument/references', hasPosition, (params) => references(documents, params))
    this.#onRequest('textDocument/documentHighlight', hasPosition, (params) => highlights(documents, params))
    this.#onRequest('textDocument/documentSymbol', hasDocument, (params: DocumentParams) => documentSymbols(documents, params))
    this.#onRequest('workspace/symbol', isQuery, (params) => workspaceSymbols(documents, this.#workspace, params))
    this.#onRequest('textDocument/foldingRange', hasDocument, (params: DocumentParams) => foldingRanges(documents, params))
    this.#onRequest('textDocument/inlayHint', hasRange, (params) => inlayHints(documents, params))
    this.#onRequest('textDocument/semanticTokens/full', hasDocument, (params: DocumentParams) => semanticTokens(documents, params))
  }

  #serveTests(): void {
    this.#onRequest('textDocument/codeLens', hasDocument, (params: DocumentParams) => {
      const links = this.#tests.lenses(params)
      return links && [...runLenses(this.#documents, params, this.#commands), ...links]
    })
    this.#onRequest('workspace/executeCommand', isCommand, async ({ command, arguments: args = [] }) => {
      if (command !== RUN_TEST && command !== DEBUG_TEST)
        return this.#fail(this.#protocol.ErrorCodes.InvalidParams, `there is no command '${command}'`)
      const ran = this.#unwrap(await this.#tests.run(command, args))
      if (this.#hasEnded) return null
      this.#publishing.now()
      if (command === DEBUG_TEST) this.#notify('window/logMessage', { type: 3, message: ran.text })
      if (this.#canRefreshLenses) this.#connection.sendRequest('workspace/codeLens/refresh').catch(() => {})
      return ran
    })
  }

  #serveSession(): void {
    const connection = this.#connection
    const { InvalidRequest, InvalidParams } = this.#protocol.ErrorCodes
    let watchesFiles = false
    connection.onRequest('initialize', (params: unknown): protocol.InitializeResult => {
      if (this.#state !== 'waiting') this.#fail(InvalidRequest, "'initialize' comes once")
      if (!isRecord(params)) return this.#fail(InvalidParams, "the parameters of 'initialize' are not what they should be")
      this.#state = 'open'
      watchesFiles = canWatchFiles(params.capabilities)
      this.#canRefreshLenses = canRefreshLenses(params.capabilities)
      this.#commands = clientCommands(params.initializationOptions)
      this.#workspace.open(params)
      this.#stopWatching = watchParent(params.processId, () => this.#endNow())
      return { capabilities: CAPABILITIES, serverInfo: { name: 'plumb', version: VERSION } }
    })
    connection.onNotification('initialized', () => {
      if (watchesFiles) connection.sendRequest('client/registerCapability', { registrations: [WATCH] }).catch(() => {})
    })
    connection.onRequest('shutdown', () => {
      this.#checkState()
      this.#state = 'shut down'
      return null
    })
    connection.onNotification('exit', () => this.#endNow())
    // Requests that have come in are still answered.
    connection.onClose(() => this.#end())
    this.#output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return
      if (this.#state === 'shut down') this.#state = 'open'
      void endWith('plumb', fault('write_failed', `cannot write: ${systemReason(error)}`))
    })
    this.#output.on('close', () => this.#endNow())
    connection.onError(() => {})
  }

  #onRequest<P>(method: string, isValid: (params: unknown) => params is P, answer: (params: P) => unknown): void {
    this.#connection.onRequest(method, (params: unknown) => {
      this.#checkState()
      if (isValid(params)) return answer(params)
      return this.#fail(this.#protocol.ErrorCodes.InvalidParams, `the parameters of '${method}' are not what they should be`)
    })
  }

  // A notification has no answer: an invalid one is ignored.
  #onNotification<P>(method: string, isValid: (params: unknown) => params is P, take: (params: P) => void): void {
    this.#connection.onNotification(method, (params: unknown) => {
      if (this.#state === 'waiting' || !isValid(params)) return
      take(params)
      this.#publishing.soon()
    })
  }

  #checkState(): void {
    const { InvalidRequest, ServerNotInitialized } = this.#protocol.ErrorCodes
    if (this.#state === 'shut down') this.#fail(InvalidRequest, 'the server is shut down')
    if (this.#state === 'waiting') this.#fail(ServerNotInitialized, "the server waits for 'initialize'")
  }

  #unwrap<T>(result: Result<T>): T {
    return result.ok ? result.value : this.#fail(this.#protocol.LSPErrorCodes.RequestFailed, result.error.detail)
  }

  #fail(code: number, message: string): never {
    throw new this.#protocol.ResponseError(code, message)
  }

  #notify(method: string, params: unknown): void {
    this.#connection.sendNotification(method, params).catch(() => {})
  }

  // No reader waits for what is still to be written.
  #endNow(): void {
    this.#publishing.stop()
    this.#connection.dispose()
    this.#input.destroy()
    this.#output.destroy()
    this.#end()
  }

  #end(): void {
    this.#hasEnded = true
    this.#publishing.end()
    this.#stopWatching()
    this.#resolve(this.#state === 'shut down' ? 0 : 1)
  }
}

const CAPABILITIES: protocol.ServerCapabilities = {
  positionEncoding: 'utf-16',
  textDocumentSync: { openClose: true, change: 1, save: true },
  hoverProvider: true,
  definitionProvider: true,
  completionProvider: { triggerCharacters: ['.', '@'] },
  renameProvider: { prepareProvider: true },
  documentFormattingProvider: true,
  referencesProvider: true,
  documentHighlightProvider: true,
  documentSymbolProvider: true,
  workspaceSymbolProvider: true,
  workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
  foldingRangeProvider: true,
  inlayHintProvider: true,
  semanticTokensProvider: { legend: { tokenTypes: [...TOKEN_KINDS], tokenModifiers: ['declaration'] }, full: true },
  signatureHelpProvider: { triggerCharacters: ['(', ','] },
  codeActionProvider: { codeActionKinds: ['quickfix'] },
  codeLensProvider: {},
  executeCommandProvider: { commands: [RUN_TEST, DEBUG_TEST] },
}

// Modules that are not open may change on the disk.
const WATCH: protocol.Registration = {
  id: 'plumb-files',
  method: 'workspace/didChangeWatchedFiles',
  registerOptions: { watchers: [{ globPattern: '**/*.plumb' }] },
}

const canWatchFiles = (capabilities: unknown): boolean => {
  const workspace = isRecord(capabilities) && isRecord(capabilities.workspace) ? capabilities.workspace : {}
  return isRecord(workspace.didChangeWatchedFiles) && workspace.didChangeWatchedFiles.dynamicRegistration === true
}

const canRefreshLenses = (capabilities: unknown): boolean => {
  const workspace = isRecord(capabilities) && isRecord(capabilities.workspace) ? capabilities.workspace : {}
  return isRecord(workspace.codeLens) && workspace.codeLens.refreshSupport === true
}

// Watches the editor's process, if `initialize` names it: a server whose editor has ended must end.
const POLL_MS = 1000

/** Calls `onGone` once, when the process has ended. Returns a function that stops watching. */
const watchParent = (pid: unknown, onGone: () => void): (() => void) => {
  if (!Number.isSafeInteger(pid) || Number(pid) <= 0) return () => {}
  const timer = setInterval(() => {
    if (isAlive(Number(pid))) return
    clearInterval(timer)
    onGone()
  }, POLL_MS)
  timer.unref()
  return () => clearInterval(timer)
}

// A process of another user cannot be signalled, but it is there.
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}
