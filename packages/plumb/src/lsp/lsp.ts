// plumb lsp: the language server, on stdin and stdout. It starts no program and opens no connection, except for tests that a person runs
// and that name live tools.

import { TOKEN_KINDS } from '@plumb/lang/service'
import { endWith, fault, isRecord, openInput, openOutput, type Result, systemReason } from '@plumb/wire'
import type * as protocol from 'vscode-languageserver-protocol/node'
import { version } from '../../package.json'
import { completions, definition, formatting, prepareRename, rename, signatureHelp } from './answers.js'
import { codeActions } from './code-actions.js'
import { Documents } from './documents.js'
import { hover } from './hover.js'
import { clientCommands, runLenses } from './lenses.js'
import { documentSymbols, foldingRanges, highlights, inlayHints, references, semanticTokens, workspaceSymbols } from './outline.js'
import { type DocumentParams, hasDocument, hasPosition, hasRange, isCommand, isDidChange, isDidOpen, isQuery, isRename } from './params.js'
import { watchParent } from './parent.js'
import { Publisher } from './publish.js'
import { DEBUG_TEST, EditorTests, RUN_TEST } from './tests.js'
import { Workspace } from './workspace.js'

/** What is asked together with a change, as the words that fit there, is answered before the change is checked. */
const QUIET_MS = 4
/** What has been read comes to us through the protocol's library within so many turns of the event loop. */
const QUIET_TURNS = 3
/** Of changes one behind the other only the last is checked; so long after the first it is no longer waited for. */
const PUBLISH_DELAY_MS = 500

const NO_COMMANDS: readonly string[] = []

/** Resolves to the exit status when the editor sends `exit`, closes our stdin, or is gone: 0 only after `shutdown`. */
export const lsp = async (): Promise<number> => {
  const { createProtocolConnection, StreamMessageReader, StreamMessageWriter, ResponseError, ErrorCodes, LSPErrorCodes } = await import(
    'vscode-languageserver-protocol/node'
  )
  const [input, output] = [openInput(0), openOutput(1)]
  const reader = new StreamMessageReader(input)
  // Its timer would keep the process alive while the rest of a message never comes.
  reader.partialMessageTimeout = 0
  const connection = createProtocolConnection(reader, new StreamMessageWriter(output))
  const documents = new Documents()
  const workspace = new Workspace()
  const tests = new EditorTests(documents)
  const publisher = new Publisher(
    documents,
    (document) => tests.diagnosticsOf(document),
    (params) => void connection.sendNotification('textDocument/publishDiagnostics', params).catch(() => {}),
  )
  const state = { isOpen: false, isShutDown: false, hasEnded: false, canWatchFiles: false, canRefreshLenses: false, commands: NO_COMMANDS }

  const fail = (code: number, message: string): never => {
    throw new ResponseError(code, message)
  }
  const checkState = () => {
    if (state.isShutDown) fail(ErrorCodes.InvalidRequest, 'the server is shut down')
    if (!state.isOpen) fail(ErrorCodes.ServerNotInitialized, "the server waits for 'initialize'")
  }
  const unwrap = <T>(result: Result<T>): T => (result.ok ? result.value : fail(LSPErrorCodes.RequestFailed, result.error.detail))
  const onRequest = <P>(method: string, isValid: (params: unknown) => params is P, answer: (params: P) => unknown) =>
    connection.onRequest(method, (params: unknown) => {
      checkState()
      return isValid(params) ? answer(params) : fail(ErrorCodes.InvalidParams, `the parameters of '${method}' are not what they should be`)
    })

  // The library guards requests in the same way: a bug in the compiler is reported, and does not end the session.
  const publish = () => {
    try {
      publisher.publish()
    } catch (error) {
      connection.sendNotification('window/logMessage', { type: 1, message: `internal error: ${error}` }).catch(() => {})
    }
  }
  let timer: NodeJS.Timeout | undefined
  let turn: NodeJS.Immediate | undefined
  let changedAt = 0
  const publishSoon = () => {
    const now = performance.now()
    if (timer === undefined) changedAt = now
    else if (now - changedAt >= PUBLISH_DELAY_MS) return
    clearTimeout(timer)
    clearImmediate(turn)
    timer = setTimeout(() => publishAfter(QUIET_TURNS), QUIET_MS)
  }
  const publishAfter = (turns: number): void => {
    turn = setImmediate(() => {
      if (turns > 0) return publishAfter(turns - 1)
      timer = undefined
      if (!state.hasEnded) publish()
    })
  }
  // A notification has no answer: an invalid one is ignored.
  const onNotification = <P>(method: string, isValid: (params: unknown) => params is P, take: (params: P) => void) =>
    connection.onNotification(method, (params: unknown) => {
      if (!state.isOpen || !isValid(params)) return
      take(params)
      publishSoon()
    })

  onNotification('textDocument/didOpen', isDidOpen, ({ textDocument: { uri, text, version: number } }) => documents.set(uri, text, number))
  onNotification('textDocument/didChange', isDidChange, ({ textDocument: { uri, version: number }, contentChanges }) => {
    const last = contentChanges.at(-1)
    if (!last || !documents.get(uri)) return
    tests.forget(uri)
    documents.set(uri, last.text, number)
  })
  onNotification('textDocument/didClose', hasDocument, ({ textDocument: { uri } }) => {
    tests.forget(uri)
    documents.close(uri)
  })
  onNotification('textDocument/didSave', hasDocument, () => documents.forget())
  onNotification('workspace/didChangeWorkspaceFolders', isRecord, ({ event }) => {
    if (!isRecord(event)) return
    workspace.remove(event.removed)
    workspace.add(event.added)
  })
  onNotification('workspace/didChangeWatchedFiles', isRecord, () => documents.forget())

  onRequest('textDocument/hover', hasPosition, (params) => hover(documents, params))
  onRequest('textDocument/definition', hasPosition, (params) => definition(documents, params))
  onRequest('textDocument/completion', hasPosition, (params) => completions(documents, params))
  onRequest('textDocument/prepareRename', hasPosition, (params) => unwrap(prepareRename(documents, params)))
  onRequest('textDocument/rename', isRename, (params) => unwrap(rename(documents, params)))
  onRequest('textDocument/formatting', hasDocument, (params: DocumentParams) => formatting(documents, params))
  onRequest('textDocument/codeAction', hasRange, (params) => codeActions(documents, params))
  onRequest('textDocument/references', hasPosition, (params) => references(documents, params))
  onRequest('textDocument/documentHighlight', hasPosition, (params) => highlights(documents, params))
  onRequest('textDocument/documentSymbol', hasDocument, (params: DocumentParams) => documentSymbols(documents, params))
  onRequest('workspace/symbol', isQuery, (params) => workspaceSymbols(documents, workspace, params))
  onRequest('textDocument/foldingRange', hasDocument, (params: DocumentParams) => foldingRanges(documents, params))
  onRequest('textDocument/inlayHint', hasRange, (params) => inlayHints(documents, params))
  onRequest('textDocument/semanticTokens/full', hasDocument, (params: DocumentParams) => semanticTokens(documents, params))
  onRequest('textDocument/signatureHelp', hasPosition, (params) => signatureHelp(documents, params))
  onRequest('textDocument/codeLens', hasDocument, (params: DocumentParams) => {
    const links = tests.lenses(params)
    return links && [...runLenses(documents, params, state.commands), ...links]
  })
  onRequest('workspace/executeCommand', isCommand, async ({ command, arguments: words = [] }) => {
    if (command !== RUN_TEST && command !== DEBUG_TEST) return fail(ErrorCodes.InvalidParams, `there is no command '${command}'`)
    const ran = unwrap(await tests.run(command, words))
    if (state.hasEnded) return null
    publish()
    if (command === DEBUG_TEST) connection.sendNotification('window/logMessage', { type: 3, message: ran.text }).catch(() => {})
    if (state.canRefreshLenses) connection.sendRequest('workspace/codeLens/refresh').catch(() => {})
    return ran
  })

  return new Promise((resolve) => {
    let stopWatching = () => {}
    const end = () => {
      state.hasEnded = true
      stopWatching()
      resolve(state.isShutDown ? 0 : 1)
    }
    // No reader waits for what is still to be written.
    const endNow = () => {
      clearTimeout(timer)
      clearImmediate(turn)
      connection.dispose()
      input.destroy()
      output.destroy()
      end()
    }
    connection.onRequest('initialize', (params: unknown): protocol.InitializeResult => {
      if (state.isOpen) fail(ErrorCodes.InvalidRequest, "'initialize' comes once")
      if (!isRecord(params)) return fail(ErrorCodes.InvalidParams, "the parameters of 'initialize' are not what they should be")
      state.isOpen = true
      state.canWatchFiles = canWatchFiles(params.capabilities)
      state.canRefreshLenses = canRefreshLenses(params.capabilities)
      state.commands = clientCommands(params.initializationOptions)
      workspace.open(params)
      stopWatching = watchParent(params.processId, endNow)
      return { capabilities: CAPABILITIES, serverInfo: { name: 'plumb', version } }
    })
    connection.onNotification('initialized', () => {
      if (state.isOpen && state.canWatchFiles)
        connection.sendRequest('client/registerCapability', { registrations: [WATCH] }).catch(() => {})
    })
    connection.onRequest('shutdown', () => {
      checkState()
      state.isShutDown = true
      return null
    })
    connection.onNotification('exit', endNow)
    // Requests that have come in are still answered.
    connection.onClose(end)
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return
      state.isShutDown = false
      void endWith('plumb', fault('write_failed', `cannot write: ${systemReason(error)}`))
    })
    output.on('close', endNow)
    connection.onError(() => {})
    connection.listen()
  })
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
