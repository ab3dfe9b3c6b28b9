// What the families share: files that are written once, and programs of several cases.

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT } from '../command.mjs'
import frameworks from './peer/frameworks.cjs'

/**
 * { directory, isQuick, lines, jq, jaq, frameworks, once, writeFixture, peer }: `jq` and `jaq` are the titles of their columns, undefined when not installed;
 * `frameworks` a list of { name, command }, where the command takes the address of a model.
 */
export const openFixtures = (directory, { quick, lines, peers = ROOT }) => {
  const made = new Map()
  const once = (key, make) => {
    if (!made.has(key)) made.set(key, make())
    return made.get(key)
  }
  const writeFixture = (name, text) =>
    once(`file ${name}`, () => {
      writeFileSync(join(directory, name), text)
      return join(directory, name)
    })
  const titleOf = (program) => {
    const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' })
    return stdout ? `${stdout.trim()} -c` : undefined
  }
  const peer = (name) => fileURLToPath(new URL(`peer/${name}`, import.meta.url))
  const found = frameworks.frameworksIn(peers)
  const command = (name) => (url) => [process.execPath, peer('frameworks.cjs'), peers, name, url]
  return {
    directory,
    isQuick: quick,
    lines,
    jq: titleOf('jq'),
    jaq: titleOf('jaq'),
    frameworks: found.map((name) => ({ name, command: command(name) })),
    once,
    writeFixture,
    peer,
  }
}
