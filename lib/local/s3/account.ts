/** This server is one account; AWS tools expect its number in twelve digits and its canonical id in 64. */
export const accountId = '000000000000'
export const accountOwner = {
  ID: '75aa57f09aa0c8caeab4f8c24e99d10f8e7faeebf76c078efc7c6caea54ba06a',
  DisplayName: 'mutabor',
}
