// The thread that turns one page into Markdown. It gets the page, says what became of it, and is ended by whoever began it.

import { parentPort, workerData } from 'node:worker_threads'
import { type HtmlPage, toMarkdown } from './to-markdown.js'

parentPort?.postMessage(toMarkdown(workerData as HtmlPage))
