// How a Claude model is asked to think: by a budget until 4.5, adaptively from 4.6 on.

import type { BetaThinkingConfigParam } from '@anthropic-ai/sdk/resources/beta/messages/messages'

/** From 4.6 on the model decides how much it thinks; from 4.7 on it accepts no budget. */
const ADAPTIVE = 406
/** From 5.1 on thinking is bound to the prompt before it, and models think unless it is switched off. */
const BOUND = 501

export interface ThinkingWish {
  readonly model: string
  readonly budget: number | undefined
  /** The model has refused a budget. */
  readonly isBudgetRefused: boolean
  /** The server does not support `block_binding`. */
  readonly isBindingRefused: boolean
}

/** Names without a version, as on other servers, are treated as models with a budget. */
export const thinkingOf = ({ model, budget, isBudgetRefused, isBindingRefused }: ThinkingWish): BetaThinkingConfigParam | undefined => {
  const version = versionOf(model)
  const isShown = budget !== undefined
  if (version >= BOUND && !isBindingRefused) {
    // Memories are set, failed inputs are dropped and runtime_context changes every time: thoughts under another prompt should be dropped,
    // not end the conversation.
    const bound = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } } as const
    return isShown ? { ...bound, display: 'summarized' } : bound
  }
  if (!isShown) return undefined
  if (version >= ADAPTIVE || isBudgetRefused) return { type: 'adaptive', display: 'summarized' }
  return { type: 'enabled', budget_tokens: budget }
}

/** 406 for claude-sonnet-4-6; a date after the version is ignored. */
const versionOf = (model: string): number => {
  const [, family, major, minor = '0'] = /claude-([a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(model) ?? []
  if (major === undefined) return /claude-(mythos|fable)/.test(model) ? ADAPTIVE : 0
  return family === undefined && Number(major) < 4 ? 0 : Number(major) * 100 + Number(minor)
}
