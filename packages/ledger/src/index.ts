export {
  type AskedCall,
  type Consent,
  type ConsentQuestion,
  consentIn,
  consentJson,
  consentQuestion,
  consentText,
  deniedConsent,
  inputToShow,
  settleConsent,
  whyText,
} from './approval/question.js'
export { joinBudget, openBudget, openOwnBudget } from './budget/budget.js'
export { currentBudget, setCurrentBudget } from './budget/current.js'
export type { Budget, BudgetLimits, Member, Reservation } from './budget/interface.js'
export { type Lender, openLender, type Spending } from './budget/lent.js'
export { costOfCall, costOfUsage, payUsage, pricedBy, type ReportedUsage } from './budget/reported-usage.js'
export { loadPrices, loadPriceTables, PRICES_SOURCE, versionAndPrices } from './price/load.js'
export { costOf, maxCostOf, type Price, type PricedTokens, type Rate } from './price/price.js'
export type { PricedModel, Prices, Quote } from './price/prices.js'
export { type GivenPrices, readPrices } from './price/prices-file.js'
export type { UserPrices } from './price/user-prices.js'
