// Install: from what `npm run pack` makes to the first answer, on a machine that has Node and nothing of ours.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { outputOf, timeRun } from '../measure.mjs'

const SPEC = 'let main : !string -> !string = agent { provider: "eliza", model: "doctor" }'
const UNPACK = 'tar -xzf "$1"/plumb-*.tar.gz -C "$2" && bin=$(echo "$2"/plumb-*/bin)'
const NPM =
  'npm install --global --offline --no-audit --no-fund --silent --prefix "$2" "$1"/plumb-[0-9]*.tgz "$1"/plumb-agent-*.tgz && bin=$2/bin'
const ANSWER = `echo '"I feel sad today"' | PATH=$bin:$PATH plumb -e "$3"`

export const install = ({ directory, isQuick, once }) => {
  const packed = join(directory, 'packed')
  const measure = async (checkout, script) => {
    const to = mkdtempSync(join(directory, 'installed-'))
    const env = { ...checkout.env, PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, npm_config_cache: join(to, 'cache') }
    try {
      return await timeRun(['bash', '--norc', '-ec', `${script}\n${ANSWER}`, 'bash', packed, to, SPEC], { env })
    } finally {
      rmSync(to, { recursive: true, force: true })
    }
  }
  const from = (name, script) => ({
    name,
    ours: (checkout) => once(`install: ${checkout.label} ${name}`, () => ({ measure: () => measure(checkout, script) })),
    peers: () => ({}),
    goals: [{ under: 10_000 }],
  })
  return {
    name: 'install',
    about: `From a tarball to the first answer of an agent (ELIZA) in a pipeline: unpacked, or by npm install without a network.`,
    unit: 'ms',
    rounds: isQuick ? 1 : 5,
    prepare: async () => {
      // A second checkout would pack the same again: it is ours that is installed.
      await outputOf([process.execPath, new URL('../../pack.mjs', import.meta.url).pathname, packed], { input: '', isLasting: true })
      if (!readdirSync(packed).some((name) => name.endsWith('.tar.gz'))) throw new Error('nothing was packed')
    },
    close: () => rmSync(packed, { recursive: true, force: true }),
    cases: [from('tar', UNPACK), from('npm', NPM)],
  }
}
