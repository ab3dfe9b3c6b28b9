// long
// The page of plumb view in a real browser: by keyboard, in both colour schemes, on a phone, without a script.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import t from 'tap'
import { noBrowser, openBrowser } from '../../wire/test/browser.js'
import { scaled } from '../../wire/test/patience.js'
import { bash, envIn, makeTestDirectory } from '../../wire/test/shell.js'
import { recordDesk } from './view-desk.js'
import { FILES, RUN } from './view-run.js'

/** The page may take a moment for it. */
const appears = (what: Locator): Promise<boolean> =>
  what.waitFor().then(
    () => true,
    () => false,
  )

/** The page follows its address, which is told of a moment later. */
const leadsTo = (page: Page, url: RegExp): Promise<boolean> =>
  page.waitForURL(url).then(
    () => true,
    () => false,
  )

/** With what went wrong on the page: whatever the console says, and whatever was asked of anybody. */
const openPage = async (browser: Browser, file: string, options: BrowserContextOptions = {}): Promise<{ page: Page; wrong: string[] }> => {
  const page = await browser.newPage({ viewport: { width: 1200, height: 800 }, ...options })
  page.setDefaultTimeout(scaled(30_000))
  const wrong: string[] = []
  const url = pathToFileURL(file).href
  page.on('console', (message) => wrong.push(message.text()))
  page.on('pageerror', ({ message }) => wrong.push(message))
  page.on('request', (request) => {
    if (!request.url().startsWith(url)) wrong.push(request.url())
  })
  await page.goto(url)
  return { page, wrong }
}

t.test('the page in a browser', { skip: noBrowser }, async (t) => {
  const directory = makeTestDirectory(FILES)
  const made = await bash(`${RUN}; plumb view t.json -o t.html`, { directory })
  t.match(made, { out: '', err: '', status: 0 })
  const browser = await openBrowser(t)
  const { page, wrong } = await openPage(browser, join(directory, 't.html'))

  t.match(await page.title(), 'main of bot.plumb')
  t.match(await page.locator('.facts').textContent(), /status 1.*outputs\s*3.*requests to models\s*\d+.*tool calls\s*1.*errors\s*3/s)
  t.strictSame(await page.locator('main > section > h2').allTextContents(), [
    'Inputs 4',
    'Timeline',
    'Wiring',
    'Agents and tools',
    'Errors',
  ])
  t.match(await page.locator('#verdict').textContent(), /3 inputs failed\s*#1 bad: .*#3.*#4.*\s1 done/s)
  t.equal(await page.locator('script, #x').count(), 1, 'nothing of a message became a part of the page')
  t.equal(await page.locator('#wiring svg .node').count(), 7, 'the wiring is drawn: five processes, an agent more, and its tool')

  // The first that failed is shown; a link and keys lead to others.
  const shown = page.locator('#chosen > article.shown')
  t.ok(await appears(shown.filter({ hasText: /^\s*#1 failed .*Men are all alike\..*doctor.*IN WHAT WAY.*bad.*output_type_mismatch/s })))
  await page.keyboard.press('n')
  t.ok(await appears(shown.filter({ hasText: /^\s*#2 done / })))
  t.ok(await leadsTo(page, /#2$/))
  await page.locator('#verdict a[href="#4"]').first().click()
  await shown.filter({ hasText: /^\s*#4 / }).waitFor()
  t.ok((await shown.textContent())?.includes('</script><script>document.title = "x"</script><b id=x onclick=y>"&amp;\\u202e'))
  await page.keyboard.press('p')
  t.ok(await appears(shown.filter({ hasText: /^\s*#3 failed .*today.*Sunday/s })))
  t.equal(await page.locator('#rows > .chosen').getAttribute('data-seq'), '3')
  await page.locator('#filter').selectOption('done')
  t.strictSame(await page.locator('#rows > li:visible').evaluateAll((all) => all.map((one) => one.getAttribute('data-seq'))), ['2'])
  await page.locator('#verdict a[data-show="failed"]').click()
  t.equal(await page.locator('#rows > li').count(), 3, 'a number of the verdict leads to what it counts')
  await page.locator('#filter').selectOption('')
  await page.locator('#verdict .cost a', { hasText: 'doctor' }).click()
  await page.locator('tr.target', { hasText: 'doctor' }).waitFor()

  // By keyboard alone: to the bars, to the work of the doctor, and to what is said of it.
  await page.locator('#bars').focus()
  const said = page.locator('#said')
  await page.keyboard.press('ArrowDown')
  t.ok(await appears(said.filter({ hasText: /^input #1: / })))
  await page.keyboard.press('ArrowRight')
  t.ok(await appears(said.filter({ hasText: /^input #2: / })))
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  t.ok(await appears(said.filter({ hasText: /^doctor #\d: / })))
  await page.keyboard.press('Home')
  t.ok(await appears(said.filter({ hasText: /^doctor #1: "IN WHAT WAY" \(/ })))
  const width = async () => (await page.locator('#chart').boundingBox())?.width ?? 0
  const before = await width()
  await page.keyboard.press('+')
  t.equal(await width(), before * 2, 'stretched')
  await page.keyboard.press('0')
  await page.keyboard.press('Enter')
  t.ok(await leadsTo(page, /#w\d+-0$/))
  t.ok(await appears(page.locator('.target')))
  t.ok(await appears(shown.filter({ hasText: /^\s*#1 failed/ })))
  const request = page.locator('#chart .request').first()
  await request.focus()
  await page.keyboard.press('Enter')
  t.ok(await leadsTo(page, /#q\d+-\d+$/), 'a request leads to its answer')
  t.ok(await appears(page.locator('.request.target')))

  // By wheel and by drawing a range.
  await page.locator('#bars').scrollIntoViewIfNeeded()
  const chart = await page.locator('#bars').boundingBox()
  if (!chart) return
  await page.mouse.move(chart.x + 200, chart.y + 8)
  await page.waitForTimeout(350)
  await page.mouse.wheel(0, -120)
  const stretched = page.locator('#chart:not([style*=": 100%"])')
  await stretched.waitFor()
  await page.locator('#whole').click()
  await page.mouse.move(chart.x + 200, chart.y + 8)
  await page.mouse.down()
  await page.mouse.move(chart.x + 250, chart.y + 8)
  await page.mouse.move(chart.x + 300, chart.y + 8)
  await page.mouse.up()
  await stretched.waitFor()
  t.ok((await width()) > 4 * before, 'the range fills the window')
  await page.locator('#whole').click()

  await page.keyboard.press('/')
  await page.keyboard.type('alike')
  await page.getByText(/^1 of \d+ found$/).waitFor()
  t.ok(await appears(shown.filter({ hasText: /^\s*#1 / })))
  await page.locator('#find').fill('sunday')
  await shown.filter({ hasText: /^\s*#3 .*Sunday/s }).waitFor()
  t.match(await page.locator('#found').textContent(), /^1 of \d found$/)
  t.equal(await page.evaluate('CSS.highlights.size'), 2, 'and marked')
  await page.locator('#find').fill('nowhere at all')
  await page.getByText(/^0 found$/).waitFor()
  await page.locator('#find').fill('in what way')
  await page.getByText(/^1 of [2-9] found$/).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText(/^2 of [2-9] found$/).waitFor()
  await page.locator('#follow').click()
  t.ok((await page.locator('.followed').count()) > 2)
  t.strictSame(await page.locator('.followed').evaluateAll((all) => [...new Set(all.map((one) => one.getAttribute('data-seq')))]), ['1'])
  t.strictSame(wrong, [], 'nothing was refused, and no request was made')
  await page.close()

  const background = async (colorScheme: 'light' | 'dark') => {
    const { page } = await openPage(browser, join(directory, 't.html'), { colorScheme })
    const [colours] = await page.locator('body').evaluateAll(([body]) => {
      const style = (globalThis as unknown as { getComputedStyle(of: unknown): Record<string, string> }).getComputedStyle(body)
      return [[style.backgroundColor, style.color]]
    })
    await page.close()
    return colours?.map((colour) => Number(/\d+/.exec(colour ?? '')?.[0]))
  }
  const [light, dark] = [await background('light'), await background('dark')]
  t.ok((light?.[0] ?? 0) > 200 && (light?.[1] ?? 255) < 60, 'dark on light')
  t.ok((dark?.[0] ?? 255) < 60 && (dark?.[1] ?? 0) > 200, 'light on dark')

  const plain = await openPage(browser, join(directory, 't.html'), { javaScriptEnabled: false })
  t.match(await plain.page.locator('#verdict').textContent(), /3 inputs failed/, 'all can be read without a script')
  for (const seq of ['1', '2', '3', '4']) t.ok(await plain.page.locator(`article[data-seq="${seq}"]`).isVisible())
  t.strictSame(await plain.page.locator('#rows a').evaluateAll((all) => all.map((one) => one.getAttribute('href'))), [
    '#1',
    '#2',
    '#3',
    '#4',
  ])
  t.equal(await plain.page.locator('#find').isVisible(), false, 'what needs one is not there')
})

t.test('calls that overlap, a wait, bars of microseconds, and a phone', { skip: noBrowser }, async (t) => {
  const files = {
    'slow.sh': `read -r a; read -r b; read -r c; sleep 0.2
      report() { printf '{"kind":%s,"agent":"slow","time":""}\\n' "$1" >&3; }
      report '"retry","seq":2,"attempt":1,"reason":"slow down","wait_ms":100'
      sleep 0.3
      report '"usage","seq":2,"ms":400,"model":"m","input_tokens":1,"output_tokens":1'
      report '"output","value":1,"seq":2,"ms":420,"held_ms":10'
      report '"output","value":1,"seq":1,"ms":450'
      echo 1; echo 1; echo '"no"'
    `,
    'both.plumb': `
      let slow : !int -> !int = agent { command: ["sh", "slow.sh"], amnesiac: true, concurrency: 2 }
      let main : !int -> !int = plumb(input, output) { input ; map(value + 1) ; slow ; output }
    `,
  }
  const directory = makeTestDirectory(files)
  await bash('seq 3 | plumb --trace t.json both.plumb >out.txt 2>err.txt; plumb view t.json -o t.html', { directory })
  const browser = await openBrowser(t)
  const { page, wrong } = await openPage(browser, join(directory, 't.html'), { viewport: { width: 390, height: 800 } })
  const rows = await page
    .locator('#chart .row')
    .evaluateAll((all) => all.map((row) => [...row.children].map((bar) => bar.getAttribute('aria-label') ?? '')))
  const titles = rows.map((row) => row.map((title) => title.replace(/ from .*/, '')))
  const [first, second] = titles.filter((row) => row[0]?.startsWith('slow'))
  t.match(
    [first?.[0], second?.[0]],
    [/^slow #1: 1 \(4\d\d ms/, /^slow #2: 1 \(420 ms/],
    'what overlaps has rows of its own, as long as the call took',
  )
  t.match(
    titles.find((row) => row[0]?.startsWith('#2 m:')),
    [/^#2 m: 1 tokens read/, /^waits before attempt 2: slow down \(100 ms/],
  )
  await page.locator('#rows a[href="#2"]').click()
  t.match(
    await page.locator('article.shown[data-seq="2"]').textContent(),
    /#2.*took 420 ms.*then held for [\d.]+ ms behind those.*retry\s*slow down; again after 100 ms/s,
  )

  const stages = page.locator('#chart .bar.stage')
  t.equal(await stages.locator('.least').count(), await stages.count(), 'what is too short for a rectangle is a line')
  const [bar, detail] = [await page.locator('#chart').boundingBox(), await page.locator('#errors td').last().boundingBox()]
  t.ok((bar?.width ?? 0) >= 700, 'numbers have room')
  t.ok((detail?.width ?? 0) > 300, 'an error has the width of the page')
  t.equal(await page.locator('body').evaluate((body) => body.scrollWidth <= 390), true, 'nothing stands out')
  t.strictSame(wrong, [])
})

t.test('a long run', { skip: noBrowser }, async (t) => {
  const directory = makeTestDirectory()
  const script = `
    seq 1000 | plumb --record rec -e 'let main : !int -> !int = plumb(input, output) { input ; map(value + 1) ; map(value * 2) ; output }' > out.jsonl
    plumb view rec -o rec.html && plumb view rec/run.json | cmp - rec.html
  `
  t.match(await bash(script, { directory }), { out: '', err: '', status: 0 })
  t.ok(readFileSync(join(directory, 'rec.html')).length < 2_000_000)
  const { page, wrong } = await openPage(await openBrowser(t), join(directory, 'rec.html'))
  t.match(await page.locator('#timeline .left-out').textContent(), /darker where there are more of them/)
  const drawn = await page
    .locator('#chart .many')
    .evaluateAll((all) => all.map((one) => Number(/(\d+) messages?/.exec(one.getAttribute('aria-label') ?? '')?.[1])))
  t.equal(
    drawn.reduce((sum, n) => sum + n, 0),
    4000,
    'all of them are drawn',
  )
  // Few of it are elements, and each can be reached.
  t.ok((await page.locator('*').count()) < 6000)
  const chosen = page.locator('#chosen > article')
  await page.locator('#rows a[tabindex="0"]').focus()
  for (const key of ['End', 'ArrowUp', 'PageUp', 'PageDown']) await page.keyboard.press(key)
  t.ok(await appears(chosen.filter({ hasText: /^\s*#999 done/ })))
  t.strictSame(
    await page
      .locator('#rows > li:focus-within')
      .evaluateAll((all) => all.map((one) => [one.ariaPosInSet, one.ariaSetSize, one.className])),
    [['999', '1000', 'done chosen']],
  )
  await page.locator('#list').evaluate((list) => list.scrollTo(0, 700 * 33))
  await page.locator('#rows a[href="#701"]').click()
  t.ok(await appears(chosen.filter({ hasText: /^\s*#701 done/ })))
  await page.locator('#find').fill('1998')
  await page.getByText(/^1 of \d+ found$/).waitFor()
  t.ok(await appears(chosen.filter({ hasText: /^\s*#998 done/ })), 'what is no element yet is found')
  // The page is told of the new medium at the next frame.
  await page.emulateMedia({ media: 'print' })
  await page.locator('#rows > li').nth(999).waitFor({ state: 'attached' })
  await chosen.nth(999).waitFor({ state: 'attached' })
  t.strictSame([await page.locator('#rows > li').count(), await chosen.count()], [1000, 1000], 'all of it is on paper')
  await page.emulateMedia({ media: 'screen' })
  await chosen.nth(1).waitFor({ state: 'detached' })
  await page.locator('#sort').selectOption('t')
  await page.locator('#words').fill('99')
  await page.getByText(/^\d+ of 1000$/).waitFor()
  t.strictSame(wrong, [])
})

t.test(
  'what models say is Markdown, and nothing else: no element, no handler, no address but of the web',
  { skip: noBrowser },
  async (t) => {
    const { directory } = await recordDesk(t, 'plumb --record rec desk.plumb < in.jsonl > out.jsonl; plumb view -o rec.html rec')
    const browser = await openBrowser(t)
    const { page, wrong } = await openPage(browser, join(directory, 'rec.html'))
    await page.locator('#rows a[href="#2"]').click()
    const answer = page.locator('article.shown[data-seq="2"] .turn .say.out .prose').last()
    t.equal(await answer.locator('h5').textContent(), 'Dear customer')
    t.strictSame(await answer.locator('strong, em, ol > li, pre code').allTextContents(), [
      'ticket 2',
      'broken',
      'refunded',
      'refunded',
      '{"order": 2}',
    ])
    t.strictSame(await answer.locator('a').evaluateAll((all) => all.map((one) => [one.getAttribute('href'), one.getAttribute('rel')])), [
      ['https://a.test/x', 'noopener noreferrer nofollow'],
    ])
    t.match(await answer.textContent(), '[not](javascript:document.title=1)')
    t.ok(await page.locator('body').evaluate((body) => body.scrollWidth <= 1200), 'a wide table is scrolled by itself')
    t.match(await answer.textContent(), '<img src=x onerror=alert(1)>')
    await page.locator('#raw').click()
    t.ok(await appears(answer.filter({ hasText: '# Dear customer thank you for **ticket 2**' })))
    await page.locator('#raw').click()
    await page.locator('#find').fill('**ticket')
    await page.getByText(/^1 of [1-9] found$/).waitFor()
    t.ok(await appears(answer.filter({ hasText: '**ticket 2**' })), 'signs of Markdown are found as they were written')
    t.equal(await page.locator('#hostile, img[src="x"], [onerror]').count(), 0)
    t.equal(await page.title(), 'main of desk.plumb')
    await page.locator('#wiring a[*|href^="#w"]').first().click()
    t.ok(await leadsTo(page, /#w\d+-0$/), 'a box leads to its agent')
    t.strictSame(wrong, [])
  },
)

t.test('two records beside each other, and on paper', { skip: noBrowser }, async (t) => {
  const { directory } = await recordDesk(
    t,
    'plumb --record rec desk.plumb < in.jsonl > out.jsonl; plumb --record rec2 other.plumb < in.jsonl > out.jsonl; plumb view rec --against rec2 -o both.html',
  )
  const browser = await openBrowser(t)
  const { page, wrong } = await openPage(browser, join(directory, 'both.html'))
  const shown = page.locator('#chosen > article.shown')
  t.ok(await appears(shown.filter({ hasText: /^\s*#2 another output/ })), 'the first that differs')
  t.strictSame(await shown.locator('.parting mark').allTextContents(), ['urgency 2', 'soon'])
  const [left, right] = await Promise.all(
    ['left', 'right'].map((name) => shown.locator(`section.side[aria-label="${name} run"]`).boundingBox()),
  )
  t.ok(left && right && left.x + left.width <= right.x && Math.abs(left.y - right.y) < 2, 'side by side')
  await page.locator('#filter').selectOption('differs')
  t.equal(await page.locator('#rows > li:visible').count(), 1)
  await page.locator('#filter').selectOption('')
  await page.keyboard.press('Escape')
  await page.locator('h1').click()
  await page.keyboard.press('n')
  t.ok(await appears(shown.filter({ hasText: /^\s*#3 the same.*I am sorry, I cannot decide.*I am sorry, I cannot decide/s })))
  await page.locator('#find').fill('soon')
  await page.getByText(/^1 of [2-9] found$/).waitFor()
  t.ok(await appears(shown.filter({ hasText: /^\s*#2 / })))
  // The turns of an input are in the order of their time, which no two runs share.
  await shown.locator('h4', { hasText: 'triager' }).locator('a[href^="#right-p"]').click()
  t.ok(await appears(page.locator('#prompts details[open] mark', { hasText: 'anger' }).first()), 'what the prompt of the right run says')
  t.strictSame(wrong, [])
  await page.close()

  const phone = await openPage(browser, join(directory, 'both.html'), { viewport: { width: 390, height: 800 } })
  t.equal(await phone.page.locator('body').evaluate((body) => body.scrollWidth <= 390), true, 'nothing stands out')
  await phone.page.emulateMedia({ media: 'print' })
  t.equal(await phone.page.locator('nav').isVisible(), false)
  t.ok(await appears(phone.page.locator('article[data-seq="5"]')), 'all of it is on paper')
  await phone.page.close()
})

t.test('a run that goes on is seen as it goes', { skip: noBrowser }, async (t) => {
  const directory = makeTestDirectory({
    'wait.sh': 'while read -r line; do while ! [ -e "go$line" ]; do sleep 0.05; done; echo "$line"; done',
  })
  const spec = `let slow : !int -> !int = agent { command: ["sh", "wait.sh"] } let main : !int -> !int = slow`
  const script = `(seq 2; while ! [ -e more ]; do sleep 0.05; done; echo 3) | plumb --record rec -e '${spec}' > out.jsonl`
  const running = bash(script, { directory })
  writeFileSync(join(directory, 'go1'), '')
  const started = `while ! grep -qs '"output"' rec/trace.json; do sleep 0.05; done`
  await bash(started, { directory })
  const child = spawn('plumb', ['view', '--serve', 'rec'], { cwd: directory, env: envIn(directory), stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  const [link] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  const page = await (await openBrowser(t)).newPage()
  page.setDefaultTimeout(scaled(30_000))
  await page.goto(String(link).trim())
  t.match(await page.locator('.facts').textContent(), /not yet: it goes on/)
  await page.locator('#rows li[data-seq="2"].unfinished', { hasText: 'runs' }).waitFor()
  t.ok(await appears(page.locator('#verdict', { hasText: '1 done, 1 on the way' })))
  await page.locator('#rows a[href="#2"]').click()
  writeFileSync(join(directory, 'go2'), '')
  await page.locator('#rows li[data-seq="2"].done').waitFor()
  await page.locator('article.shown[data-seq="2"].done').waitFor()
  for (const name of ['more', 'go3']) writeFileSync(join(directory, name), '')
  await page.locator('.facts', { hasText: 'status 0' }).waitFor()
  await page.locator('#rows li').nth(2).waitFor()
  t.equal(await page.locator('#rows li').count(), 3)
  t.match(await running, { status: 0 })
})
