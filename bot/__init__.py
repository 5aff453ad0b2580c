"""A weekly pull-request digest in Chinese, posted where a team talks."""
