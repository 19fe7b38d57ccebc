/** Source: RFC 8693 §2.1 */
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
/** Source: RFC 7523 §2.1 */
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
