// Makes the directory of the VS Code extension, with its client bundled: stage-vscode.mjs TO
//
// VS Code takes it as it is, and `vsce package --no-dependencies` makes one file of it.

import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ROOT, runMain } from '../command.mjs'
import { installDependencies } from '../dependencies.mjs'
import { thirdPartyNotices } from '../notices.mjs'

const FROM = `${ROOT}/scripts/editors/vscode`

/** Writes the directory `to`, and replaces an earlier one. */
export const stageExtension = async (to) => {
  const { build } = await import('esbuild')
  rmSync(to, { recursive: true, force: true })
  mkdirSync(to, { recursive: true })
  for (const file of ['README.md', 'language-configuration.json', 'snippets.json', 'icon.png', 'icon.svg'])
    copyFileSync(`${FROM}/${file}`, `${to}/${file}`)
  copyFileSync(`${ROOT}/LICENSE`, `${to}/LICENSE`)
  copyFileSync(`${ROOT}/packages/lang/grammar/plumb.tmLanguage.json`, `${to}/plumb.tmLanguage.json`)
  const { version } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8'))
  const manifest = JSON.parse(readFileSync(`${FROM}/package.json`, 'utf8'))
  writeFileSync(`${to}/package.json`, `${JSON.stringify({ ...manifest, version }, null, 2)}\n`)
  // The editor gives it the module `vscode`.
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['scripts/editors/vscode/extension.mjs'],
    outfile: `${to}/extension.cjs`,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['vscode'],
    minify: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'error',
  })
  writeFileSync(`${to}/THIRD-PARTY-NOTICES`, thirdPartyNotices(Object.keys(metafile.inputs)))
}

await runMain(import.meta.url, async () => {
  if (!process.argv[2]) throw new Error('usage: scripts/editors/stage-vscode.mjs TO')
  await installDependencies()
  await stageExtension(resolve(process.argv[2]))
})
