// The page to try what is served: a form made from the type of each binding, and its answer as it comes. It holds all that it needs; it asks the
// server by the same requests as any client. Where tokens are needed it holds nothing of the specs.

import { createHash } from 'node:crypto'
import type { Exchange } from '../http/exchange.js'
import SCRIPT from './browser/page.browser?text'
import STYLE from './style.css'

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

const HTML = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>plumb-serve</title>
<style>${STYLE}</style>
<main id="main"><noscript>This page needs JavaScript.</noscript></main>
<script>${SCRIPT}</script>
</html>
`

/** Nothing from elsewhere is fetched, and no other text is run. */
const HEADERS = {
  'content-security-policy': `default-src 'none'; style-src ${hashOf(STYLE)}; script-src ${hashOf(SCRIPT)}; connect-src 'self'; img-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
}

export const answerPage = (exchange: Exchange): void => exchange.send(200, 'text/html; charset=utf-8', HTML, HEADERS)
