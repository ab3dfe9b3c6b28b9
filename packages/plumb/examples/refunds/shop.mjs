// What the shop knows; a real one would ask its database.

const ORDERS = {
  17: { item: 'Moka Pro', paid: 45, days_ago: 90 },
  18: { item: 'Paper filters, 400', paid: 12.5, days_ago: 3 },
}

export const lookUp = ({ order }) => {
  const known = ORDERS[order]
  if (!known) throw new Error(`there is no order ${order}`)
  return { order, ...known }
}

export const refund = ({ order, dollars }) => `refunded $${dollars} of order ${order}`
