// plumb lsp: the language server, on stdin and stdout. Pure questions to the language about texts; starts no program, opens no connection.

import { endWith, fault, openInput, openOutput, type Result, systemReason } from '@plumb/wire'
import type * as protocol from 'vscode-languageserver-protocol/node'
import { version } from '../../package.json'
import { codeActions, completion, definition, formatting, hover, prepareRename, rename } from './answers.js'
import { Documents } from './documents.js'
import { type DocumentParams, isChange, isDocument, isObject, isOpening, isPlace, isRanged, isRenaming } from './params.js'
import { watchParent } from './parent.js'
import { Publisher } from './publish.js'

/** A short while after the first change, so that a burst of changes is looked at once. */
const PUBLISH_AFTER_MS = 40

/** Resolves to the exit status when the editor has said `exit`, has closed our stdin, or is gone: 0 only after `shutdown`. */
export const lsp = async (): Promise<number> => {
  const { createProtocolConnection, StreamMessageReader, StreamMessageWriter, ResponseError, ErrorCodes, LSPErrorCodes } = await import(
    'vscode-languageserver-protocol/node'
  )
  const [input, output] = [openInput(0), openOutput(1)]
  const reader = new StreamMessageReader(input)
  // Its timer would keep us running for the rest of a message that never comes.
  reader.partialMessageTimeout = 0
  const connection = createProtocolConnection(reader, new StreamMessageWriter(output))
  const documents = new Documents()
  const publisher = new Publisher(
    documents,
    (params) => void connection.sendNotification('textDocument/publishDiagnostics', params).catch(() => {}),
  )
  const state = { isOpen: false, isShutDown: false, hasEnded: false, canWatchFiles: false }

  const fail = (code: number, message: string): never => {
    throw new ResponseError(code, message)
  }
  const refuseUntimely = () => {
    if (state.isShutDown) fail(ErrorCodes.InvalidRequest, 'the server is shut down')
    if (!state.isOpen) fail(ErrorCodes.ServerNotInitialized, "the server waits for 'initialize'")
  }
  const value = <T>(result: Result<T>): T => (result.ok ? result.value : fail(LSPErrorCodes.RequestFailed, result.error.detail))
  const onRequest = <P>(method: string, isValid: (params: unknown) => params is P, answer: (params: P) => unknown) =>
    connection.onRequest(method, (params: unknown) => {
      refuseUntimely()
      return isValid(params) ? answer(params) : fail(ErrorCodes.InvalidParams, `the parameters of '${method}' are not what they should be`)
    })

  // As with requests, which the library guards: a bug in the compiler is told, and does not end the session.
  const publish = () => {
    try {
      publisher.publish()
    } catch (error) {
      connection.sendNotification('window/logMessage', { type: 1, message: `internal error: ${error}` }).catch(() => {})
    }
  }
  let timer: NodeJS.Timeout | undefined
  const publishSoon = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      if (!state.hasEnded) publish()
    }, PUBLISH_AFTER_MS)
  }
  // A notification has no answer: one that makes no sense is passed over.
  const onNotification = <P>(method: string, isValid: (params: unknown) => params is P, take: (params: P) => void) =>
    connection.onNotification(method, (params: unknown) => {
      if (!state.isOpen || !isValid(params)) return
      take(params)
      publishSoon()
    })

  onNotification('textDocument/didOpen', isOpening, ({ textDocument: { uri, text, version: number } }) => documents.set(uri, text, number))
  onNotification('textDocument/didChange', isChange, ({ textDocument: { uri, version: number }, contentChanges }) => {
    const last = contentChanges.at(-1)
    if (last && documents.get(uri)) documents.set(uri, last.text, number)
  })
  onNotification('textDocument/didClose', isDocument, ({ textDocument: { uri } }) => documents.close(uri))
  onNotification('textDocument/didSave', isDocument, () => documents.forget())
  onNotification('workspace/didChangeWatchedFiles', isObject, () => documents.forget())

  onRequest('textDocument/hover', isPlace, (params) => hover(documents, params))
  onRequest('textDocument/definition', isPlace, (params) => definition(documents, params))
  onRequest('textDocument/completion', isPlace, (params) => completion(documents, params))
  onRequest('textDocument/prepareRename', isPlace, (params) => value(prepareRename(documents, params)))
  onRequest('textDocument/rename', isRenaming, (params) => value(rename(documents, params)))
  onRequest('textDocument/formatting', isDocument, (params: DocumentParams) => formatting(documents, params))
  onRequest('textDocument/codeAction', isRanged, (params) => codeActions(documents, params))

  return new Promise((resolve) => {
    let stopWatching = () => {}
    const end = () => {
      state.hasEnded = true
      stopWatching()
      resolve(state.isShutDown ? 0 : 1)
    }
    // Nothing that is still to be written has a reader who waits for it.
    const endNow = () => {
      clearTimeout(timer)
      connection.dispose()
      input.destroy()
      output.destroy()
      end()
    }
    connection.onRequest('initialize', (params: unknown): protocol.InitializeResult => {
      if (state.isOpen) fail(ErrorCodes.InvalidRequest, "'initialize' comes once")
      if (!isObject(params)) return fail(ErrorCodes.InvalidParams, "the parameters of 'initialize' are not what they should be")
      state.isOpen = true
      state.canWatchFiles = canWatchFiles(params.capabilities)
      stopWatching = watchParent(params.processId, endNow)
      return { capabilities: CAPABILITIES, serverInfo: { name: 'plumb', version } }
    })
    connection.onNotification('initialized', () => {
      if (state.isOpen && state.canWatchFiles)
        connection.sendRequest('client/registerCapability', { registrations: [WATCH] }).catch(() => {})
    })
    connection.onRequest('shutdown', () => {
      refuseUntimely()
      state.isShutDown = true
      return null
    })
    connection.onNotification('exit', endNow)
    // What has come in by then is still answered, if anyone reads.
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
  codeActionProvider: { codeActionKinds: ['quickfix'] },
}

// Modules that are not open change on the disk.
const WATCH: protocol.Registration = {
  id: 'plumb-files',
  method: 'workspace/didChangeWatchedFiles',
  registerOptions: { watchers: [{ globPattern: '**/*.plumb' }] },
}

const canWatchFiles = (capabilities: unknown): boolean => {
  const workspace = isObject(capabilities) && isObject(capabilities.workspace) ? capabilities.workspace : {}
  return isObject(workspace.didChangeWatchedFiles) && workspace.didChangeWatchedFiles.dynamicRegistration === true
}
