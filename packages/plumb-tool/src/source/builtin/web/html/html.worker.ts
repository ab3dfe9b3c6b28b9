// The worker thread that converts one page. It receives the page as workerData and posts the Markdown; its creator terminates it.

import { parentPort, workerData } from 'node:worker_threads'
import { type HtmlPage, toMarkdown } from './to-markdown.js'

parentPort?.postMessage(toMarkdown(workerData as HtmlPage))
