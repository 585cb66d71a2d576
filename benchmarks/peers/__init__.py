"""Other engines that people use, each played at random in an environment of its own, side by side with this one."""
