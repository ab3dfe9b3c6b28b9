// Writes THIRD-PARTY-NOTICES: the packages that a bundle contains, with their licences. A licence that is not in the list stops the build.

import { readdirSync, readFileSync } from 'node:fs'
import { ROOT } from './command.mjs'

/** The text for a bundle that was made of these files, whose paths are relative to the root. */
export const thirdPartyNotices = (inputs) => {
  const directories = new Map(inputs.flatMap(packageDirectory).map((directory) => [directory, readPackage(`${ROOT}/${directory}`)]))
  const sections = new Map([...directories.values()].map((found) => [`${found.name} ${found.version}`, section(found)]))
  return [HEAD, ...[...sections].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)].join(`\n${'-'.repeat(78)}\n\n`)
}

// True when the list has all licences that an SPDX expression requires; of alternatives, one.
const isAllowed = (expression) =>
  typeof expression === 'string' &&
  expression.split(' AND ').every((term) =>
    term
      .replace(/^\(|\)$/g, '')
      .split(' OR ')
      .some((licence) => ALLOWED.includes(licence)),
  )

// Permissive licences, and two that bind only the work itself, which is included unchanged: a wasm (MPL) and a font (OFL).
const ALLOWED = [
  ...['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'CC0-1.0', 'ISC', 'MIT'],
  ...['MPL-2.0', 'OFL-1.1'],
]

// The copyright holders of packages that lack a licence text; the text then comes from scripts/licences.
const HOLDERS = {
  '@resvg/resvg-wasm': 'the resvg-js and resvg authors',
  '@sqlite.org/sqlite-wasm': 'Thomas Steiner and the SQLite authors',
  '@viz-js/viz': 'Michael Daines',
  boolbase: 'Felix Boehm',
  'pg-types': 'Brian M. Carlson',
  pgpass: 'Hannes Hörl',
}

// Third-party parts of a package that its own licence text does not mention.
const WITHIN = {
  '@resvg/resvg-wasm': 'Compiled from Rust; the sources, with the list of crates and their licences, are in its repository.',
  '@sqlite.org/sqlite-wasm': 'Holds SQLite (https://sqlite.org), which is in the public domain.',
  '@viz-js/viz': [
    'Holds, as object code, Graphviz (https://graphviz.org, sources at https://gitlab.com/graphviz/graphviz) under the Eclipse Public',
    'License, without any warranty or liability of its contributors, and Expat (https://libexpat.github.io) under the MIT licence,',
    'Copyright (c) 1998-2000 Thai Open Source Software Center Ltd and Clark Cooper, Copyright (c) 2001 onwards Expat maintainers.',
  ].join('\n'),
  undici: 'Holds llhttp (https://github.com/nodejs/llhttp), Copyright Fedor Indutny, 2018, under the MIT licence.',
}

const HEAD = 'This program holds code of the packages below, each under the licence that follows its name.\n'

const LICENCE_FILE = /^(licen[cs]e|copying|notice|thirdparty)/i

// The innermost: of node_modules/.pnpm/a@1/node_modules/a/lib/a.js the part up to lib.
const packageDirectory = (path) => /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.slice(0, 1) ?? []

const readPackage = (directory) => {
  const { name, version, license, repository, homepage } = JSON.parse(readFileSync(`${directory}/package.json`, 'utf8'))
  const files = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile() && LICENCE_FILE.test(entry.name))
  const texts = files.map((entry) => readFileSync(`${directory}/${entry.name}`, 'utf8'))
  return { name, version, license, address: repository?.url ?? repository ?? homepage ?? '', texts }
}

const section = ({ name, version, license, address, texts }) => {
  if (!isAllowed(license)) throw new Error(`the licence of ${name} ${version}, '${license}', is not allowed: see scripts/notices.mjs`)
  const body = texts.length > 0 ? texts : [standardText(name, license)]
  const parts = [`${name} ${version}, ${license}\n${webAddress(address)}`, WITHIN[name] ?? '', ...body]
  return `${parts.map(plain).filter(Boolean).join('\n\n')}\n`
}

const standardText = (name, license) => {
  if (!HOLDERS[name]) throw new Error(`${name} has no text of its licence, '${license}': say in scripts/notices.mjs whose it is`)
  return `Copyright (c) ${HOLDERS[name]}\n\n${readFileSync(`${ROOT}/scripts/licences/${license}.txt`, 'utf8')}`
}

const webAddress = (address) =>
  address
    .replace(/^git\+|\.git$/g, '')
    .replace(/^git@([^:/]+):/, 'https://$1/')
    .replace(/^(git|ssh):\/\/(git@)?/, 'https://')
    .replace(/^(?=[\w-]+\/[\w.-]+$)/, 'https://github.com/')

const plain = (text) =>
  text
    .replace(/\r/g, '')
    .replace(/[ \t]+$/gm, '')
    .replace(/^\n+|\n+$/g, '')
