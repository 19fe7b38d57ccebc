export * from '../../kit/pages/excerpt.ts';
