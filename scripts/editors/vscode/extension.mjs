// Starts `plumb lsp` for .plumb files, and carries out what stands above `main`: run in a terminal, and the drawing beside the text.

import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import * as vscode from 'vscode'
import { LanguageClient } from 'vscode-languageclient/node'

const RENDER_LIMITS = { timeout: 20_000, maxBuffer: 16 * 1024 * 1024 }

let client

export const activate = async (context) => {
  const panels = new Map()
  context.subscriptions.push(
    vscode.commands.registerCommand('plumb.run', (uri) => withSpec(uri, run)),
    vscode.commands.registerCommand('plumb.render', (uri) => withSpec(uri, (document) => renderBeside(document, panels))),
    vscode.commands.registerCommand('plumb.chat', (uri) => withSpec(uri, (document) => inTerminal(document, 'chat', ['chat']))),
    vscode.commands.registerCommand('plumb.flows', (uri) =>
      withSpec(uri, (document) => inTerminal(document, 'flows', ['check', '--flows'])),
    ),
    vscode.commands.registerCommand('plumb.view', view),
    vscode.commands.registerCommand('plumb.restart', restart),
    vscode.workspace.onDidSaveTextDocument((document) => {
      const panel = panels.get(document.uri.toString())
      if (panel) void draw(document, panel)
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration((change) => (change.affectsConfiguration('plumb.path') ? restart() : undefined)),
  )
  await restart()
}

export const deactivate = () => client?.stop()

const executable = () => vscode.workspace.getConfiguration('plumb').get('path', 'plumb')

const restart = async () => {
  await client?.stop().catch(() => {})
  client = undefined
  if (!vscode.workspace.isTrusted) return
  const server = { command: executable(), args: ['lsp'] }
  client = new LanguageClient('plumb', 'Plumb', server, {
    documentSelector: [{ language: 'plumb' }],
    initializationOptions: { commands: ['plumb.run', 'plumb.render'] },
  })
  try {
    await client.start()
  } catch (error) {
    const help = `Install it, or set "plumb.path" to where it is.`
    void vscode.window.showErrorMessage(`'${executable()} lsp' does not start: ${error.message}. ${help}`)
  }
}

/** A link passes the URI; from the palette it is the spec in front. Only what is on the disk, as it stands there, is run. */
const withSpec = async (uri, use) => {
  const document = uri
    ? await vscode.workspace.openTextDocument(typeof uri === 'string' ? vscode.Uri.parse(uri) : uri)
    : vscode.window.activeTextEditor?.document
  if (document?.languageId !== 'plumb') return vscode.window.showInformationMessage('Open a .plumb file first.')
  if (document.uri.scheme !== 'file') return vscode.window.showInformationMessage('Save the spec to a file first.')
  if (document.isDirty && !(await document.save())) return undefined
  return use(document)
}

const run = (document) => inTerminal(document, 'run', vscode.workspace.getConfiguration('plumb', document.uri).get('runArguments', ['-R']))

const inTerminal = (document, name, words) => {
  const path = document.uri.fsPath
  return execute(name, [...words, path], dirname(path))
}

// The link that it prints opens the page, while it runs.
const view = async () => {
  const [chosen] = (await vscode.window.showOpenDialog({ canSelectFiles: false, canSelectFolders: true, openLabel: 'View' })) ?? []
  return chosen && execute('view', ['view', '--serve', chosen.fsPath], chosen.fsPath)
}

// No shell: the arguments are a list.
const execute = (name, words, cwd) => {
  const execution = new vscode.ProcessExecution(executable(), words, { cwd })
  const task = new vscode.Task({ type: 'plumb' }, vscode.TaskScope.Workspace, name, 'plumb', execution)
  task.presentationOptions = { focus: true, clear: true }
  return vscode.tasks.executeTask(task)
}

const renderBeside = (document, panels) => {
  const key = document.uri.toString()
  const open = panels.get(key)
  if (open) open.reveal(undefined, true)
  const panel =
    open ??
    vscode.window.createWebviewPanel('plumb.drawing', `Drawing of ${document.fileName.replace(/^.*[/\\]/, '')}`, {
      viewColumn: vscode.ViewColumn.Beside,
      preserveFocus: true,
    })
  panels.set(key, panel)
  if (!open) panel.onDidDispose(() => panels.delete(key))
  return draw(document, panel)
}

const draw = (document, panel) =>
  new Promise((resolve) => {
    const path = document.uri.fsPath
    const dark = [vscode.ColorThemeKind.Dark, vscode.ColorThemeKind.HighContrast].includes(vscode.window.activeColorTheme.kind)
    const words = ['render', '--format', 'svg', '--theme', dark ? 'dark' : 'light', path]
    execFile(executable(), words, { cwd: dirname(path), ...RENDER_LIMITS }, (error, svg, said) => {
      panel.webview.html = page(error ? { text: said || String(error.message) } : { svg })
      resolve(!error)
    })
  })

// The drawing is an image, so that nothing in it is run.
const page = ({ svg, text = '' }) => {
  const body = svg
    ? `<img alt="the wiring" src="data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}">`
    : `<pre>${text.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`)}</pre>`
  const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<style>body { padding: 1em } img { max-width: 100% }</style>${body}`
}
