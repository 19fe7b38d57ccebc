export * from '../../kit/pages/pager.ts';
