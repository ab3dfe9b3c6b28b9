// Runs esbuild with the options that all bundles share.

import { basename } from 'node:path'
import { ROOT } from '../command.mjs'

export const SHARED = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  loader: { '.plumb': 'text', '.script': 'text', '.css': 'text', '.child.cjs': 'text', '.child.py': 'text', '.peg': 'text', '.md': 'text' },
  // import() becomes a late require: Node's module loader costs 5 ms that a CommonJS bundle need not pay.
  supported: { 'dynamic-import': false },
  // For packages that ask for their own location: a CommonJS file has no `import.meta.url`.
  define: { 'import.meta.url': 'importMetaUrl' },
  inject: ['scripts/build/import-meta-url.mjs'],
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  write: false,
  logLevel: 'silent',
}

/** A bundle is a function, which bin/NAME calls. */
export const WRAPPED = {
  banner: { js: '(function (require, module, exports, __filename, __dirname) {' },
  footer: { js: '})' },
}

/** esbuild does not escape the characters of comments. Licence comments go to files of their own, and from there to THIRD-PARTY-NOTICES. */
export const WITHOUT_COMMENTS = { minifyWhitespace: true, legalComments: 'external' }

/** Resolves to { outputFiles, metafile }. Throws all errors and warnings: code with a warning would not do at run time what it says. */
export const bundle = async (options) => {
  const esbuild = await import('esbuild')
  const { errors, warnings, ...result } = await esbuild.build(options).catch((failure) => failure)
  const messages = [
    ...(await esbuild.formatMessages(errors, { kind: 'error' })),
    ...(await esbuild.formatMessages(warnings, { kind: 'warning' })),
  ]
  if (messages.length > 0) throw new Error(`cannot bundle:\n${messages.join('')}`)
  return result
}

/** Removes the licence comments from a result, and returns their texts, each time it is called for it. */
export const takeLicenceComments = (result) => {
  const isLegal = ({ path }) => path.endsWith('.LEGAL.txt')
  result.licences ??= result.outputFiles.filter(isLegal).map(({ text }) => text)
  result.outputFiles = result.outputFiles.filter((file) => !isLegal(file))
  return result.licences
}

/**
 * Throws when a bundle is not ASCII, which the launcher reads one byte a character. esbuild escapes everything else, except in tagged
 * templates, whose raw text an escape would change.
 */
export const checkAscii = ({ path, text }) => {
  const [found] = /[^\n]{0,60}[^\0-\x7f][^\n]{0,20}/.exec(text) ?? []
  if (path.endsWith('.bundle.cjs') && found) throw new Error(`cannot bundle: '${basename(path)}' is not all ASCII: ${found}`)
}
