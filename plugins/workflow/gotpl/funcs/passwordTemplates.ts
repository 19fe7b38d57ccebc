// The tables of the Master Password algorithm, https://masterpassword.app.

const LONG =
  'CvcvnoCvcvCvcv CvcvCvcvnoCvcv CvcvCvcvCvcvno CvccnoCvcvCvcv CvccCvcvnoCvcv CvccCvcvCvcvno CvcvnoCvccCvcv ' +
  'CvcvCvccnoCvcv CvcvCvccCvcvno CvcvnoCvcvCvcc CvcvCvcvnoCvcc CvcvCvcvCvccno CvccnoCvccCvcv CvccCvccnoCvcv ' +
  'CvccCvccCvcvno CvcvnoCvccCvcc CvcvCvccnoCvcc CvcvCvccCvccno CvccnoCvcvCvcc CvccCvcvnoCvcc CvccCvcvCvccno';

export const TEMPLATES: ReadonlyMap<string, readonly string[]> = new Map([
  ['maximum', ['anoxxxxxxxxxxxxxxxxx', 'axxxxxxxxxxxxxxxxxno']],
  ['long', LONG.split(' ')],
  ['medium', ['CvcnoCvc', 'CvcCvcno']],
  ['short', ['Cvcn']],
  ['basic', ['aaanaaan', 'aannaaan', 'aaannaaa']],
  ['pin', ['nnnn']],
]);

const UPPER_CONSONANTS = 'BCDFGHJKLMNPQRSTVWXYZ';
const LOWER_CONSONANTS = 'bcdfghjklmnpqrstvwxyz';
const LETTERS = `AEIOUaeiou${UPPER_CONSONANTS}${LOWER_CONSONANTS}`;

export const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ['V', 'AEIOU'],
  ['C', UPPER_CONSONANTS],
  ['v', 'aeiou'],
  ['c', LOWER_CONSONANTS],
  ['A', `AEIOU${UPPER_CONSONANTS}`],
  ['a', LETTERS],
  ['n', '0123456789'],
  ['o', "@&%?,=[]_:-+*$#!'^~;()/."],
  ['x', `${LETTERS}0123456789!@#$%^&*()`],
]);
