// webpage_to_markdown: what a page says, as Markdown.

import { succeed } from '@plumb/wire'
import type { Builtin } from '../builtin.js'
import { checkUrl } from './check-url.js'
import { showDocument } from './document.js'
import { rawGithubUrl } from './github.js'
import { lineRangeOf } from './line-range.js'
import { readPage } from './read-page.js'
import { markUntrusted } from './untrusted.js'

interface Input {
  readonly url: string
}

export const webpageToMarkdown: Builtin<Input> = {
  url: ({ url }) => url,
  run: async ({ url }, context) => {
    const target = checkUrl(url, context.mayReachPrivateNet)
    if (!target.ok) return target
    const page = await readPage(rawGithubUrl(target.value) ?? target.value, context)
    if (!page.ok) return page
    const text = showDocument(page.value.document, lineRangeOf(target.value.hash))
    return text.ok ? succeed(markUntrusted(text.value, page.value.hops)) : text
  },
}
