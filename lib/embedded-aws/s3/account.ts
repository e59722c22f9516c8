/** The only account of this server; AWS tools expect an account id of 12 digits and a canonical id of 64. */
export const accountId = '000000000000'
export const accountOwner = {
  ID: '75aa57f09aa0c8caeab4f8c24e99d10f8e7faeebf76c078efc7c6caea54ba06a',
  DisplayName: 'mutabor',
}
