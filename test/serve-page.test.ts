import type { Locator, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { noBrowser, openBrowser } from '../packages/wire/test/browser.js'
import { scaled } from '../packages/wire/test/patience.js'
import { serve } from './serving.js'

const SPEC = `type Draft = { text: string, @min 1 @max 5 stars: int, kind: "a" | "b", note?: string }
let pay : { arguments: [string] } -> string = tool { command: "echo paid", approval: "ask" }
@serve let bot : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [pay] }
@serve let count : !{ n: int } -> !int = agent { provider: "person", prompt: "How many?" }
@serve let review : !string -> !Draft = agent { provider: "person", prompt: "How good is it?" }
`
const TOKEN = 'token-0123456789abcdef'
const openPage = async (t: Test, url: string): Promise<{ page: Page; wrong: string[] }> => {
  const browser = await openBrowser(t)
  const page = await browser.newPage()
  page.setDefaultTimeout(scaled(30_000))
  const wrong: string[] = []
  page.on('pageerror', ({ message }) => wrong.push(message))
  page.on('request', (request) => {
    if (!request.url().startsWith(url)) wrong.push(request.url())
  })
  await page.goto(url)
  return { page, wrong }
}

t.test('a person at the page', { skip: noBrowser }, async (t) => {
  const server = await serve({ 'a.plumb': SPEC }, { args: ['--token-env', 'TOKEN', '--grant', 'exec'], env: { TOKEN } })
  t.teardown(() => server.stop())
  const { page, wrong } = await openPage(t, server.url)
  const press = async (name: string, within: Page | Locator = page): Promise<void> =>
    within.getByRole('button', { name, exact: true }).click()
  const section = (heading: string): Locator =>
    page.locator('section').filter({ has: page.getByRole('heading', { name: heading, exact: true }) })
  await page.getByLabel('Token').fill(TOKEN)
  await press('Go on')

  const review = section('review')
  await review.getByLabel('Input').fill('a poem')
  await press('Send', review)
  const asked = section('review asks')
  await asked.getByText('How good is it?').waitFor()
  await asked.getByText('a poem').waitFor()
  await asked.getByLabel('text').fill('fine')
  await asked.getByLabel('stars').fill('9')
  await asked.getByLabel('kind').selectOption('b')
  await press('Answer', asked)
  await asked.getByText(/5/).waitFor()
  await asked.getByLabel('stars').fill('3')
  await press('Answer', asked)
  await review.getByText(/"stars": 3/).waitFor()
  t.match(JSON.parse((await review.locator('pre').first().textContent()) ?? ''), { text: 'fine', stars: 3, kind: 'b' })
  await press('Send', review)
  await press('Skip', section('review asks'))
  await review.getByText(/^answer_refused: /).waitFor()

  const count = section('count')
  await count.getByLabel('n', { exact: true }).fill('9007199254740993')
  await press('Send', count)
  await section('count asks').getByText('9007199254740993').waitFor()
  await section('count asks').getByLabel('Input').fill('9007199254740995')
  await press('Answer', section('count asks'))
  await count.getByText('9007199254740995').waitFor()

  const bot = section('bot')
  const call = async (): Promise<Locator> => {
    await bot.getByLabel('Input').fill('call pay {"arguments":["100"]}')
    await press('Send', bot)
    await section('bot asks').getByText("May 'bot' call 'pay'?").waitFor()
    return section('bot asks')
  }
  await press('Allow', await call())
  await bot.getByText(/paid 100/i).waitFor()
  await press('Deny', await call())
  await bot.getByText(/denied/i).waitFor()
  const first = await call()
  await press('Edit', first)
  await first.getByLabel('Its input').fill('{"arguments":["20"]}')
  await press('Ask again', first)
  await section('bot asks').getByText(/"20"/).waitFor()
  await press('Allow', section('bot asks'))
  await bot.getByText(/paid.*20/i).waitFor()
  t.notMatch(await bot.textContent(), /paid 100/i)
  t.strictSame(wrong, [], 'nothing goes wrong on the page, and nothing is asked of others')
})
