export * from '../../kit/pages/words.ts';
