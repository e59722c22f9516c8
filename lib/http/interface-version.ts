/** Version of the API that this service implements. */
export const interfaceVersion = '1.10.0'
