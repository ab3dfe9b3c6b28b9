// The frame of a page: one file that loads nothing and runs no script but its own.

import { createHash } from 'node:crypto'
import program from './browser/page.browser?text'
import { type Html, html, trusted } from './html.js'
import { MAX_PAGE_BYTES } from './page-limits.js'
import pageStyle from './style.css'
import { wiringStyle } from './wiring-style.js'

export interface FrameParts {
  readonly title: string
  readonly header: Html
  /** Before the list, and after it. */
  readonly before: readonly Html[]
  readonly after: readonly Html[]
  /** `room`: the bytes that it has. */
  readonly list: (room: number) => Html
  /** Undefined: the page is a file. */
  readonly served: 'live' | 'ended' | undefined
}

export const framed = ({ title, header, before, after, list, served }: FrameParts): string => {
  const style = pageStyle + wiringStyle()
  const policy = [
    "default-src 'none'",
    `style-src '${sourceHash(style)}'`,
    `script-src '${sourceHash(program)}'`,
    'img-src data:',
    ...(served === undefined ? [] : ["connect-src 'self'"]),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const page = (middle: Html) => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${trusted(style)}</style>
</head>
<body${served === undefined ? undefined : html` data-served="${served}"`}>
${header}
<main>${before}${middle}${after}</main>
<script>${trusted(program)}</script>
</body>
</html>
`
  const taken = Buffer.byteLength(page(html``).text)
  return page(list(MAX_PAGE_BYTES - taken)).text
}

const sourceHash = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`

/** The search, which is a part of the navigation. */
export const searchField = html`<label data-script hidden>find <input type="search" id="find" autocomplete="off" spellcheck="false"></label> <span class="steps" data-script hidden><button type="button" id="find-previous" title="Previous (Shift-Enter)">&lsaquo;</button><button type="button" id="find-next" title="Next (Enter)">&rsaquo;</button></span> <span id="found" role="status" data-script hidden></span>`
