// webpage_to_markdown: what a page says, as Markdown.

import { succeed } from '@plumb/wire'
import type { Builtin } from '../builtin.js'
import { show } from './document.js'
import { rawFileOf } from './github.js'
import { lineRangeOf } from './line-range.js'
import { readPage } from './read-page.js'
import { parseTarget } from './target.js'
import { markUntrusted } from './untrusted.js'

export const webpageToMarkdown: Builtin = {
  name: 'webpage_to_markdown',
  aliases: [],
  run: async (input, context) => {
    const target = parseTarget((input as { url: string }).url, context.mayReachPrivateNet)
    if (!target.ok) return target
    const page = await readPage(rawFileOf(target.value) ?? target.value, context)
    if (!page.ok) return page
    const text = show(page.value.document, lineRangeOf(target.value.hash))
    return text.ok ? succeed(markUntrusted(text.value, page.value.hops)) : text
  },
}
