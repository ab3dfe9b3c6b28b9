// Runs commands, and shows their output only when they fail.

import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

/** Resolves to { status, output }. A command that cannot start has status 127; one that takes longer than limitMs is killed. */
export const run = (command, args, { env = process.env, limitMs = 0 } = {}) =>
  new Promise((resolve) => {
    const child = spawn(command, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: limitMs, killSignal: 'SIGKILL' })
    let output = ''
    const append = (text) => {
      output += text
    }
    child.stdout.setEncoding('utf8').on('data', append)
    child.stderr.setEncoding('utf8').on('data', append)
    child.on('error', (error) => resolve({ status: 127, output: `cannot run '${command}': ${error.message}\n` }))
    child.on('close', (status, signal) => resolve({ status: status ?? 1, output: signal ? `${output}ended by ${signal}\n` : output }))
  })

/** Runs a command; when it fails, prints its output under `title`. Resolves to whether it succeeded. */
export const passes = async (title, command, args, options) => {
  const { status, output } = await run(command, args, options)
  if (status !== 0) process.stdout.write(`${title} failed:\n${output.trimEnd()}\n`)
  return status === 0
}

/** The environment for tests, which leave this machine only to install: more certificates cost each start of Node 20 some 50 ms. */
export const withoutCertificates = () => {
  const { NODE_EXTRA_CA_CERTS: certificates, ...env } = process.env
  return certificates === undefined ? env : { ...env, PLUMB_TEST_CERTIFICATES: certificates }
}

/** The path of an executable of a development dependency. */
export const tool = (name) => `${ROOT}/node_modules/.bin/${name}`

/** Runs `main` when this module is the script that node was asked to run; its exit status is 1 when main throws or resolves to false. */
export const runMain = async (url, main) => {
  if (process.argv[1] === undefined || realpathSync(process.argv[1]) !== fileURLToPath(url)) return
  try {
    if ((await main()) === false) process.exitCode = 1
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}
