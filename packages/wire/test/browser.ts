// The browser on PATH, for tests of pages.

import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import type { Test } from 'tap'
import { scaled } from './patience.js'

const program = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap((directory) => ['chromium', 'chromium-browser', 'google-chrome'].map((name) => join(directory, name)))
  .find(existsSync)
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
]

/** Why a test of a page is skipped. */
export const noBrowser = program === undefined ? 'there is no chromium' : false

export const openBrowser = async (t: Test): Promise<Browser> => {
  const browser = await chromium.launch({ executablePath: program as string, args: ARGS, timeout: scaled(60_000) })
  t.teardown(() => browser.close())
  return browser
}
