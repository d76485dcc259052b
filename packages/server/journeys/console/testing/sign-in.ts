// Signs a browser in as a person would: by typing a key.
import type { Page } from 'puppeteer-core'

export async function signInToConsole(page: Page, adminUrl: string, key: string): Promise<void> {
  await page.goto(`${adminUrl}/console/sign-in`)
  await page.waitForSelector('input[type=password]')
  await page.type('input[type=password]', key)
  await page.keyboard.press('Enter')
  await page.waitForSelector('.frame')
}

export async function signInToTeamPage(page: Page, gatewayUrl: string, key: string): Promise<void> {
  await page.goto(`${gatewayUrl}/sign-in`)
  await page.waitForSelector('input[type=password]')
  await page.type('input[type=password]', key)
  await page.keyboard.press('Enter')
  await page.waitForSelector('.team-frame')
}
