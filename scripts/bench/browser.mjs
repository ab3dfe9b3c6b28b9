// The page of plumb view in a browser: until a search in it has been answered.

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { pathToFileURL } from 'node:url'
import { ROOT } from '../command.mjs'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']
const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']

/** The path of one, if one is installed. */
export const findBrowser = () =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((directory) => NAMES.map((name) => join(directory, name)))
    .find(existsSync)

/** In milliseconds, in a browser that is open: from the request for the page to the number of messages that a search has found. */
export const timeInBrowser = async (executablePath, file) => {
  const { chromium } = createRequire(`${ROOT}/package.json`)('playwright-core')
  const browser = await chromium.launch({ executablePath, args: ARGS })
  try {
    const page = await browser.newPage()
    const started = performance.now()
    await page.goto(pathToFileURL(file).href)
    await page.locator('#find').fill('no message has this')
    await page.locator('#found', { hasText: /^0 found$/ }).waitFor()
    return { value: performance.now() - started, cpu: undefined }
  } finally {
    await browser.close()
  }
}
