// The worker thread that converts one page. It receives the page as workerData and posts the Markdown; its creator terminates it.

import { parentPort, workerData } from 'node:worker_threads'
import { convertPage, type HtmlPage } from './to-markdown.js'

parentPort?.postMessage(convertPage(workerData as HtmlPage))
