// The server half of mcp-conformance.mjs: plumb-mcp on HTTP, with what a spec and prompt files can provide of the tools that the suite asks for.

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './command.mjs'

const SPEC = `${ROOT}/packages/plumb-mcp/test/fixtures/conformance.plumb`
const PROMPT = '---\nprovider: eliza\nmodel: doctor\n---\nThis is a simple prompt for testing.\n'
const START_TIMEOUT_MS = 30_000

const OTHER_URIS = 'reads URIs of the scheme test:, and the resources of plumb-mcp are files'
const FORMS = 'wants a form with fields, and plumb-mcp asks for consent alone'

const cannotApply = {
  'tools-call-sampling': 'wants a tool that asks the model of the client, which no tool of plumb-mcp does',
  'json-schema-2020-12': 'wants a schema with $defs and $anchor written by hand, and those of plumb-mcp follow from types',
  'elicitation-sep1034-defaults': FORMS,
  'elicitation-sep1330-enums': FORMS,
  'server-sse-polling': 'wants a tool that closes the stream of its own answer',
  'resources-read-text': OTHER_URIS,
  'resources-read-binary': OTHER_URIS,
  'resources-templates-read': OTHER_URIS,
  'resources-subscribe': OTHER_URIS,
  'resources-unsubscribe': OTHER_URIS,
  'prompts-get-with-args': 'wants the arguments arg1 and arg2, and prompt files have one, input',
  'prompts-get-embedded-resource': 'wants a resource in a prompt, and prompt files hold text',
  'prompts-get-with-image': 'wants an image in a prompt, and prompt files hold text',
  ...Object.fromEntries(
    ['basic-elicitation', 'request-state', 'multiple-input-requests', 'multi-round', 'result-type'].map((name) => [
      `input-required-result-${name}`,
      FORMS,
    ]),
  ),
  ...Object.fromEntries(
    ['basic-sampling', 'basic-list-roots', 'capability-check'].map((name) => [
      `input-required-result-${name}`,
      'wants a tool that asks the model, or the roots, of the client, which no tool of plumb-mcp does',
    ]),
  ),
  'input-required-result-non-tool-request': 'wants a prompt that asks a person, and prompt files ask no one',
}

/** Of scenarios that apply otherwise: checks by scenario. */
const checksCannotApply = {
  'server-stateless': {
    ServerRejectsUndeclaredCapability:
      'wants to be told of sampling, which no tool of plumb-mcp asks for; with elicitation the code and the status are checked',
  },
}

const open = async () => {
  const directory = mkdtempSync(join(tmpdir(), 'mcp-conformance-server-'))
  mkdirSync(`${directory}/prompts`)
  for (const name of ['test_simple_prompt', 'test_prompt_with_arguments']) writeFileSync(`${directory}/prompts/${name}.md`, PROMPT)
  const args = ['--http', '0', '--docroot', directory, '--prompts', `${directory}/prompts`, SPEC]
  const child = spawn(`${ROOT}/packages/plumb-mcp/bin/plumb-mcp`, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = new Promise((resolve) => child.on('close', resolve))
  const url = await waitForUrl(child)
  const close = async () => {
    child.kill()
    await ended
    rmSync(directory, { recursive: true, force: true })
  }
  return { argsOf: () => ['--url', url], close }
}

const waitForUrl = (child) =>
  new Promise((resolve, reject) => {
    let text = ''
    const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS)
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      const [url] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(text) ?? []
      if (url === undefined) return
      clearTimeout(timer)
      resolve(url)
    })
    child.on('close', () => reject(new Error(`the server does not listen: ${text}`)))
  })

export const SERVER = { cannotApply, checksCannotApply, open }
