// All pages as one HTML document that needs no server and fetches nothing: a policy in it forbids that.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { articleOf, idOf } from './html.mjs'
import { anchorOf } from './links.mjs'

/** `groups` is a list of [title, pages]. */
export const siteOf = (groups, index) => {
  const style = readFileSync(new URL('site.css', import.meta.url), 'utf8')
  const script = readFileSync(new URL('site-script.js', import.meta.url), 'utf8')
  const policy = `default-src 'none'; style-src '${hashOf(style)}'; script-src '${hashOf(script)}'; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>plumb</title>
<style>${style}</style>
</head>
<body>
<nav aria-label="Pages">
<input id="search" type="search" placeholder="Search (press /)" aria-label="Search all pages">
<button id="theme" type="button">Theme</button>
${groups.map(groupOf).join('\n')}
</nav>
<main>
<section id="results" aria-live="polite" hidden><p></p><ul id="found"></ul></section>
${groups.flatMap(([, pages]) => pages.map((page) => articleOf(page, index))).join('\n')}
</main>
<script>${script}</script>
</body>
</html>
`
}

const hashOf = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`

const groupOf = ([title, pages]) => `<h2>${title}</h2>\n<ul>${pages.map(entryOf).join('\n')}</ul>`

const entryOf = (page) => {
  const title = `${page.name}(${page.section})`
  const parts = page.blocks.filter(({ kind }) => kind === 'heading')
  const listed = parts.map(
    ({ text }) => `<li><a href="#${idOf(title, anchorOf(text))}">${text.replace(/&/g, '&amp;').replace(/</g, '&lt;')}</a></li>`,
  )
  return `<li><a href="#${idOf(title)}">${title}</a><ul>${listed.join('')}</ul></li>`
}
