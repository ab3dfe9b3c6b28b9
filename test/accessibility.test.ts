// long
// Each page that plumb writes or serves, held to the rules of axe-core: wide and light, narrow and dark.

import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import axe from 'axe-core'
import t, { type Test } from 'tap'
import { FILES, RUN } from '../packages/plumb/test/view-run.js'
import { noBrowser, openBrowser } from '../packages/wire/test/browser.js'
import { scaled } from '../packages/wire/test/patience.js'
import { bash, makeTestDirectory } from '../packages/wire/test/shell.js'
import { serve } from './serving.js'

/** The rules that a page breaks, with the first element that does. */
const holds = async (t: Test, url: string): Promise<void> => {
  const browser = await openBrowser(t)
  for (const [width, colorScheme] of [
    [1400, 'light'],
    [390, 'dark'],
  ] as const) {
    // axe is a script that the policy of these pages refuses.
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme, bypassCSP: true })
    page.setDefaultTimeout(scaled(30_000))
    await page.goto(url)
    await page.locator('h1, h2').first().waitFor()
    await page.addScriptTag({ content: axe.source })
    const { violations, passes } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run())
    const broken = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
    t.strictSame(broken, [], `${width} ${colorScheme}`)
    t.ok(passes.length > 10)
    await page.close()
  }
}
const fileUrl = (...path: string[]): string => pathToFileURL(join(...path)).href

t.test('a run, from its trace', { skip: noBrowser }, async (t) => {
  const directory = makeTestDirectory(FILES)
  t.match(await bash(`${RUN}; plumb view t.json -o t.html`, { directory }), { out: '', err: '', status: 0 })
  await holds(t, fileUrl(directory, 't.html'))
})

const COMPARED = `param style : string = "plain"
let main : !string -> !string = map(if style = "loud" then upper(value) else value)
test "kept" of main { given: ["a", "B", "c"], holds: out = given, at_least: 0.5 }`

t.test('variants compared', { skip: noBrowser }, async (t) => {
  const directory = makeTestDirectory({ 'a.plumb': COMPARED })
  t.match(await bash("plumb test --seed 1 --variant 'loud: style=loud' --html c.html a.plumb >/dev/null", { directory }), { err: '' })
  await holds(t, fileUrl(directory, 'c.html'))
})

t.test('the manual', { skip: noBrowser }, async (t) => {
  const directory = makeTestDirectory()
  t.match(spawnSync(process.execPath, [resolve('scripts/pages.mjs'), directory]), { status: 0 })
  for (const at of ['', '#plumb-agent.1']) await holds(t, fileUrl(directory, 'site/index.html') + at)
})

t.test('what is served', { skip: noBrowser }, async (t) => {
  const spec = `type Draft = { text: string, @min 1 @max 5 stars: int, kind: "a" | "b", note?: string }
@serve let review : !string -> !Draft = agent { provider: "person", prompt: "How good is it?" }`
  const server = await serve({ 'a.plumb': spec })
  t.teardown(() => server.stop())
  await server.call('/review', '"a poem"', { headers: { prefer: 'respond-async' } })
  while ((await server.call('/pending')).text === '[]');
  await holds(t, server.url)
})
